import { MAX_AMOUNT } from '@agent-wallet/contract';
import { z } from 'zod';
import type { Config } from '../replies.ts';

/** What a service asks for: whom to pay, and the price in base units. */
type Price = { readonly recipient: string; readonly amount: bigint };

/** A transfer whose signature the service takes in `X-Payment-Proof`. */
type ProofOffer = Price & { readonly kind: 'proof' };

/** Standard x402, version 2: a transaction that the service's facilitator pays the fee for and sends. */
export type StandardOffer = Price & {
  readonly kind: 'standard';
  readonly feePayer: string;
  /** Null where the service names none. */
  readonly memo: string | null;
  /** The offer as the service sent it. */
  readonly accepted: object;
  /** The challenge's; undefined where it has none. */
  readonly resource: unknown;
};

export type Offer = ProofOffer | StandardOffer;

/** The money that the wallet holds: names of its network in challenges, and its USDC mint. */
export type Money = { readonly networks: readonly string[]; readonly mint: string };

/** The cheapest offer of a 402 that the wallet can pay, or why there is none. */
export type Judgement =
  | { readonly kind: 'offer'; readonly offer: Offer }
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
const MAX_MEMO_BYTES = 256;

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
  resource: z.unknown().optional(),
});
const smartWallets = z.looseObject({
  features: z.looseObject({ smartWalletSupported: z.literal(false) }),
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
 * Reads the challenge of a 402. An offer that takes a proof goes before a standard one, whose
 * outcome is known later.
 */
export function judgeChallenge(headers: Headers, body: string, money: Money): Judgement {
  const challenges = [headers.get('payment-required'), body, headers.get('x-payment-required')]
    .map((place) => readChallenge(place ?? ''))
    .filter((read) => read !== null);
  if (challenges.length === 0) return none('its 402 has no payment terms that can be read');
  const offers = challenges.flatMap(({ x402Version: version, accepts, resource }) =>
    accepts.flatMap((accepted) => {
      const read = offerSchema.safeParse(accepted);
      return read.success ? [{ ...read.data, version, accepted, resource }] : [];
    }),
  );
  const ours = offers.filter(
    ({ network, asset }) => money.networks.includes(network) && asset === money.mint,
  );
  if (ours.length === 0) return none("it does not take USDC of this wallet's network");
  const judged = ours.map(judgeOffer);
  const payable = judged.flatMap((one) => (one.kind === 'offer' ? [one.offer] : []));
  const cheapest = cheapestOf('proof', payable) ?? cheapestOf('standard', payable);
  return cheapest ?? judged.find(({ kind }) => kind === 'none') ?? none('it has no offer');
}

type ReadOffer = z.output<typeof offerSchema> & {
  readonly version: 1 | 2;
  readonly accepted: unknown;
  readonly resource?: unknown;
};

function judgeOffer(offer: ReadOffer): Judgement {
  const { payTo: recipient, amount: given, maxAmountRequired, accepted, resource } = offer;
  const amount = readAmount(given, maxAmountRequired);
  if (amount === null) return none('its price is not a whole positive amount');
  const extra = offer.extra ?? {};
  if (!namesFeePayer(extra)) return { kind: 'offer', offer: { kind: 'proof', recipient, amount } };
  if (offer.version !== 2) return none('it takes standard x402 payments of version 1 only');
  if (smartWallets.safeParse(extra).success) return none('it takes no payments by programs');
  const { feePayer, memo = null } = extra;
  if (typeof feePayer !== 'string' || typeof accepted !== 'object' || accepted === null) {
    return none('its facilitator has no address');
  }
  if (memo !== null && !isMemo(memo)) return none('its memo is not a text of at most 256 bytes');
  // The reference client takes an empty memo as none.
  const terms = { recipient, amount, feePayer, memo: memo === '' ? null : memo };
  return { kind: 'offer', offer: { kind: 'standard', ...terms, accepted, resource } };
}

function cheapestOf(kind: Offer['kind'], offers: readonly Offer[]): Judgement | null {
  const [first, ...rest] = offers.filter((offer) => offer.kind === kind);
  if (first === undefined) return null;
  const offer = rest.reduce((least, one) => (one.amount < least.amount ? one : least), first);
  return { kind: 'offer', offer };
}

const isMemo = (memo: unknown): memo is string =>
  typeof memo === 'string' && new TextEncoder().encode(memo).length <= MAX_MEMO_BYTES;

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
