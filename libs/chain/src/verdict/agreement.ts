/** What two endpoints together say about an attempt, each judged wholly by its own answers. */

import type { AttemptVerdict } from './verdict.ts';

/**
 * Whether a verdict rests on something not being there, so that a node that is behind or has lost
 * its history could give it wrongly. A landing that was seen needs no corroboration.
 */
export function needsCorroboration({ kind }: AttemptVerdict): boolean {
  return kind === 'expired_proven' || kind === 'search_history';
}

/**
 * The verdict of the first endpoint in the light of the second's. What either has seen landed
 * counts; an absence counts when both say so; null: the second does not settle it.
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
      // The later slot binds whatever is read because of it.
      return first.slot > second.slot ? first : second;
    }
  }
}
