/** The joint verdict of two endpoints on an attempt, each judged by its own replies alone. */

import type { AttemptVerdict } from './verdict.ts';

/**
 * Whether a verdict rests on an absence, which a node that is behind or has lost its history could
 * report wrongly. A landing that was seen needs no corroboration.
 */
export function needsCorroboration({ kind }: AttemptVerdict): boolean {
  return kind === 'expired_proven' || kind === 'search_history';
}

/**
 * The verdict of the first endpoint, given the second's. A landing that either has seen counts; an
 * absence counts when both report it. Null: the second one does not settle it.
 */
export function agreeOn(first: AttemptVerdict, second: AttemptVerdict): AttemptVerdict | null {
  switch (second.kind) {
    case 'landed_ok':
    case 'landed_error':
    case 'find_landing':
      return second;
    case 'pending':
    case 'needs_session':
      return null;
    case 'expired_proven':
    case 'search_history': {
      if (first.kind !== second.kind) return null;
      // The later slot applies to any read that follows from it.
      return first.slot > second.slot ? first : second;
    }
  }
}
