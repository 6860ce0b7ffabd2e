import { addService, type Service } from '@agent-wallet/spend';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Egress, EgressAnswer } from '../src/egress/egress.ts';
import { networkIdOf } from '../src/x402/payment-networks.ts';
import { USDC_MINT } from './fake-chain.ts';
import { openSession, post, type Session, type TestApp } from './test-app.ts';

/** A session that may pay the payee of a fresh service, which is in the catalogue and enabled. */
export type ServiceWorld = Session & { readonly slug: string; readonly url: string };

let services = 0;

export async function openService(
  t: TestApp,
  change: Partial<Service> = {},
  liquid?: bigint,
): Promise<ServiceWorld> {
  const s = await openSession(t, liquid);
  services += 1;
  const slug = `weather-${services}`;
  const url = `https://${slug}.example/v1`;
  await addService(t.db, {
    slug,
    name: 'Weather',
    baseUrl: url,
    enabled: true,
    payTo: s.recipient,
    maxPrice: 50_000n,
    method: null,
    proof: 'x-payment-proof',
    ...change,
  });
  return { ...s, slug, url };
}

/** An offer that the entry of `w` agrees with, but for `change`. */
export function offerOf(w: ServiceWorld, change: object = {}): object {
  return {
    scheme: 'exact',
    network: networkIdOf('devnet'),
    amount: '10000',
    asset: USDC_MINT,
    payTo: w.recipient,
    maxTimeoutSeconds: 60,
    extra: { proof: 'x-payment-proof' },
    ...change,
  };
}

export function answered(
  status: number,
  body: unknown = {},
  headers: Record<string, string> = {},
): EgressAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    kind: 'answered',
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.from(text),
  };
}

export const challenge = (offer: object): EgressAnswer =>
  answered(402, { x402Version: 2, accepts: [offer] });

/** A service that asks for a payment and then gives these answers to the proof, one after another. */
export function serve(
  t: TestApp,
  offer: object,
  ...paid: readonly EgressAnswer[]
): readonly Parameters<Egress>[0][] {
  const seen: Parameters<Egress>[0][] = [];
  let next = 0;
  t.egress = async (request) => {
    seen.push(request);
    const hasProof = 'x-payment-proof' in request.headers || 'payment-signature' in request.headers;
    if (!hasProof) return challenge(offer);
    const answer = paid[Math.min(next, paid.length - 1)];
    next += 1;
    if (answer === undefined) throw new Error('no proof was expected');
    return answer;
  };
  return seen;
}

export const call = (
  t: TestApp,
  w: ServiceWorld,
  fields: object = {},
  headers: Record<string, string> = {},
) =>
  post(t, w.apiKey, '/v1/spend/service', { slug: w.slug, max_amount: 20_000, ...fields }, headers);

const auditRow = z.object({
  action: z.string(),
  reason: z.string().nullable(),
  amount: z.bigint().nullable(),
  recipient: z.string().nullable(),
  recipientOrUrl: z.string().nullable(),
});

export const auditOf = (t: TestApp, w: ServiceWorld) =>
  t.db.any(sql.type(auditRow)`
    select action, reason, amount, recipient, recipient_or_url as "recipientOrUrl"
    from audit where wallet_id = ${w.walletId}::uuid order by seq
  `);

/** The spend as its agent reads it. */
export async function readSpend(t: TestApp, w: ServiceWorld, spendId: string) {
  const headers = { authorization: `Bearer ${w.apiKey}` };
  return (await t.app.inject({ url: `/v1/spend/${spendId}`, headers })).json<
    Record<string, unknown>
  >();
}
