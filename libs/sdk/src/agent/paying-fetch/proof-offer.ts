import { MAX_AMOUNT } from '@agent-wallet/contract';
import { z } from 'zod';
import type { Config } from '../replies.ts';

/** What a service asks for: a transfer whose signature it takes in `X-Payment-Proof`. */
export type ProofOffer = { readonly recipient: string; readonly amount: bigint };

/** The money that the wallet holds: names of its network in challenges, and its USDC mint. */
export type Money = { readonly networks: readonly string[]; readonly mint: string };

/** The cheapest offer of a 402 that the wallet can pay with a proof, or why there is none. */
export type Judgement =
  | { readonly kind: 'offer'; readonly offer: ProofOffer }
  | { readonly kind: 'none'; readonly why: string };

const DEVNET = ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet', 'solana:devnet'];
const MAINNET = [
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  'solana',
  'solana-mainnet',
  'solana-mainnet-beta',
  'solana:mainnet',
  'solana:mainnet-beta',
];
/** In bytes of a body, and in characters of a header. */
export const LARGEST_CHALLENGE = 65_536;
const MAX_OFFERS = 64;

const text = z.string();
const offerSchema = z.looseObject({
  scheme: z.literal('exact'),
  network: text,
  asset: text,
  payTo: text,
  amount: text.optional(),
  maxAmountRequired: text.optional(),
  extra: z.looseObject({}).nullish(),
});
const challengeSchema = z.looseObject({
  x402Version: z.union([z.literal(1), z.literal(2)]),
  accepts: z.array(z.unknown()).min(1).max(MAX_OFFERS),
});

/** The money of a deployment. */
export const moneyOf = ({
  cluster,
  usdc_mint: mint,
}: Pick<Config, 'cluster' | 'usdc_mint'>): Money => ({
  networks: cluster === 'mainnet' ? MAINNET : DEVNET,
  mint,
});

/**
 * Reads the challenge of a 402. A standard x402 offer names the fee payer of its facilitator; it
 * cannot be paid with a proof, because the service would not look for one.
 */
export function judgeChallenge(headers: Headers, body: string, money: Money): Judgement {
  const challenges = [headers.get('payment-required'), body, headers.get('x-payment-required')]
    .map((place) => readChallenge(place ?? ''))
    .filter((read) => read !== null);
  if (challenges.length === 0) return none('its 402 has no payment terms that can be read');
  const offers = challenges.flatMap(({ accepts }) =>
    accepts.flatMap((one) => {
      const read = offerSchema.safeParse(one);
      return read.success ? [read.data] : [];
    }),
  );
  const ours = offers.filter(
    ({ network, asset }) => money.networks.includes(network) && asset === money.mint,
  );
  if (ours.length === 0) return none("it does not take USDC of this wallet's network");
  const payable = ours.filter(({ extra }) => !namesFeePayer(extra ?? {}));
  if (payable.length === 0) {
    return none('it takes standard x402 payments only, which need an entry of the catalog');
  }
  const priced = payable.flatMap(({ payTo: recipient, amount, maxAmountRequired }) => {
    const units = readAmount(amount, maxAmountRequired);
    return units === null ? [] : [{ recipient, amount: units }];
  });
  const [first, ...rest] = priced;
  if (first === undefined) return none('its price is not a whole positive amount');
  const offer = rest.reduce((least, one) => (one.amount < least.amount ? one : least), first);
  return { kind: 'offer', offer };
}

const none = (why: string): Judgement => ({ kind: 'none', why });

const namesFeePayer = (extra: Readonly<Record<string, unknown>>): boolean =>
  extra['proof'] !== 'x-payment-proof' &&
  extra['feePayer'] !== undefined &&
  extra['feePayer'] !== null;

/** Version 1 calls it `maxAmountRequired`; two prices that differ are none. */
function readAmount(amount: string | undefined, other: string | undefined): bigint | null {
  const given = amount ?? other ?? '';
  if (other !== undefined && other !== given) return null;
  if (!/^[1-9][0-9]{0,19}$/.test(given)) return null;
  const units = BigInt(given);
  return units <= MAX_AMOUNT ? units : null;
}

function readChallenge(place: string): z.output<typeof challengeSchema> | null {
  if (place === '' || place.length > LARGEST_CHALLENGE) return null;
  try {
    const json = place.trimStart().startsWith('{') ? place : decodeBase64(place);
    const read = challengeSchema.safeParse(JSON.parse(json));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

function decodeBase64(value: string): string {
  const binary = atob(value.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
}
