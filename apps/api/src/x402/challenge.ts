/**
 * Reads the payment that a service demands from its 402 response.
 *
 * Specifications put the challenge in one place; services put it in five. All are read, in the
 * order of `readChallenges`, and the first offer that matches the catalog entry is chosen: same
 * payee, token, network and way of paying. An offer is never chosen by its position alone.
 */

import { readChallenges, type Dialect } from './challenge-sources.ts';
import type { PlainHeaders } from '@agent-wallet/egress';
import { judgeOffer, type Judgement, type Offer, type Wanted } from './offer.ts';

export type Challenge =
  | {
      readonly kind: 'offer';
      readonly dialect: Dialect;
      readonly version: 1 | 2;
      readonly offer: Offer;
      /** The challenge's `resource` as JSON text; null when it names none. */
      readonly resource: string | null;
    }
  /** `mismatch`: the demand of the service differs from the catalog entry. */
  | Extract<Judgement, { readonly kind: 'mismatch' | 'unsupported' }>
  /** The response has no challenge. */
  | { readonly kind: 'unparsable'; readonly why: string };

/** How far an offer matched; the failure of the best match is reported. */
const NEARNESS = ['scheme', 'network', 'asset', 'payee', 'dialect', 'unsupported', 'malformed'];

type Candidate = Extract<Challenge, { kind: 'offer' }>;

/**
 * Chooses the offer to pay from a 402.
 *
 * Of several matching offers, the first within `wanted.maxAmount`; when all exceed it, the
 * cheapest, so that the caller can report the price. `why` contains no text of the service. Header
 * names are in lower case.
 */
export function parseChallenge(headers: PlainHeaders, body: Buffer, wanted: Wanted): Challenge {
  const { documents, fault } = readChallenges(headers, body);
  const fitting: Candidate[] = [];
  let nearest: Exclude<Judgement, { kind: 'fits' }> | null = null;
  for (const { dialect, version, offers, resource } of documents) {
    for (const offer of offers) {
      const judgement = judgeOffer(offer, version, wanted);
      if (judgement.kind === 'fits') {
        fitting.push({ kind: 'offer', dialect, version, offer: judgement.offer, resource });
      } else if (nearest === null || rankOf(judgement) > rankOf(nearest)) {
        nearest = judgement;
      }
    }
  }
  const [first] = fitting;
  if (first !== undefined) {
    return (
      fitting.find(({ offer }) => offer.amount <= wanted.maxAmount) ?? cheapest(first, fitting)
    );
  }
  if (nearest === null) return fault;
  return nearest.kind === 'malformed' ? { kind: 'unparsable', why: nearest.why } : nearest;
}

function cheapest(first: Candidate, rest: readonly Candidate[]): Candidate {
  return rest.reduce((least, one) => (one.offer.amount < least.offer.amount ? one : least), first);
}

function rankOf(judgement: Exclude<Judgement, { kind: 'fits' }>): number {
  return NEARNESS.indexOf(judgement.kind === 'mismatch' ? judgement.what : judgement.kind);
}
