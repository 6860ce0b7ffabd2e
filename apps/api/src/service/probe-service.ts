import type { Service } from '@agent-wallet/spend';
import { parseChallenge } from '../x402/challenge.ts';
import type { Egress, EgressAnswer } from '@agent-wallet/egress';
import type { Offer, Wanted } from '../x402/offer.ts';
import type { Refused } from '../spend/refuse/refused.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** From the first byte sent to the last one received, and of the answer's body. */
export const UPSTREAM_TIMEOUT_MS = 30_000;
export const UPSTREAM_BYTES = 5 * 1024 * 1024;

export type Answered = Extract<EgressAnswer, { readonly kind: 'answered' }>;

/** Why a service is not paid. `why` says nothing that only we may know. */
export type ProbeRefusal = Extract<
  Refused,
  { readonly kind: 'probe_failed' | 'mismatch' | 'unsupported' }
>;

/** The outcome of the agent's own request, sent without proof. */
export type Probe =
  | ProbeRefusal
  | { readonly kind: 'passed_through'; readonly answer: Answered }
  | { readonly kind: 'quoted'; readonly offer: Offer; readonly resource: string | null };

/** Sends the agent's request without proof and reads the service's price. Never throws. */
export async function probeService(
  egress: Egress,
  request: UpstreamRequest,
  wanted: Wanted,
): Promise<Probe> {
  const answer = await egress({
    ...request,
    timeoutMs: UPSTREAM_TIMEOUT_MS,
    maxBytes: UPSTREAM_BYTES,
  });
  if (answer.kind === 'failed') return { kind: 'probe_failed', why: answer.reason };
  if (!isStatus(answer.status)) return { kind: 'probe_failed', why: 'bad_answer' };
  if (answer.status !== 402) return { kind: 'passed_through', answer };
  const challenge = parseChallenge(answer.headers, answer.body, wanted);
  switch (challenge.kind) {
    case 'offer':
      return { kind: 'quoted', offer: challenge.offer, resource: challenge.resource };
    case 'mismatch':
      return { kind: 'mismatch', why: `${challenge.what} is ${challenge.found}` };
    case 'unsupported':
      return { kind: 'unsupported', why: challenge.why };
    case 'unparsable':
      return { kind: 'probe_failed', why: challenge.why };
  }
}

/** Whether an answer's status is one that can be passed on. */
export const isStatus = (status: number): boolean => status >= 200 && status <= 599;

/** The challenge that an entry requires before it is paid. */
export function wantedOf(
  service: Pick<Service, 'proof' | 'payTo'>,
  chain: Pick<Wanted, 'network' | 'asset'>,
  maxAmount: bigint,
): Wanted {
  return { ...chain, proof: service.proof, payTo: service.payTo, maxAmount };
}
