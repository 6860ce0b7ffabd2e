/**
 * What a service asks to be paid, read from its 402 the way services really send it.
 *
 * Specifications put the challenge in one place; services put it in five. All of them are read, in
 * the order of `readChallenges`, and the first offer wins that is for this catalogue entry: same
 * payee, same token, same network, same way of paying. An offer is never chosen by its position.
 */

import { readChallenges, type Dialect } from './challenge-sources.ts';
import type { PlainHeaders } from '../egress/headers.ts';
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
  /** `mismatch`: the service asks for something else than the catalogue says. */
  | Extract<Judgement, { readonly kind: 'mismatch' | 'unsupported' }>
  /** Nothing here is a challenge. */
  | { readonly kind: 'unparsable'; readonly why: string };

/** How near an offer came; the nearest failure is the one worth telling. */
const NEARNESS = ['scheme', 'network', 'asset', 'payee', 'dialect', 'unsupported', 'malformed'];

type Candidate = Extract<Challenge, { kind: 'offer' }>;

/**
 * Chooses the offer to pay from a 402.
 *
 * Of several that fit, the first within `wanted.maxAmount`; when all are above it, the cheapest,
 * so that the caller can tell the price. Nothing that the service sent is shown in `why`.
 * @param headers names in lower case
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
