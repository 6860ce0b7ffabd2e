/** One offer of a challenge, checked against a catalog entry. */

import type { Service } from '@agent-wallet/spend';
import { PublicKey } from '@solana/web3.js';

import { isJsonRecord, writeExactJson, type JsonRecord } from './exact-json.ts';
import { normaliseNetwork, type NetworkId } from './payment-networks.ts';

/** The catalog entry of the service, and the agent's limit. */
export type Wanted = {
  readonly proof: Service['proof'];
  readonly network: NetworkId;
  /** The mint and the payee's wallet, base58. */
  readonly asset: string;
  readonly payTo: string;
  /** In base units. */
  readonly maxAmount: bigint;
};

export type Offer = {
  /** In base units, 1 … 2^64 − 1. */
  readonly amount: bigint;
  readonly payTo: string;
  readonly asset: string;
  readonly network: NetworkId;
  /** Who pays the fee and sends, for `x402`; null for `x-payment-proof`. */
  readonly feePayer: string | null;
  /** Memo of the payment, verbatim; null when the service requires none. */
  readonly memo: string | null;
  /** Whether the service accepts payments by programs; null when unstated. */
  readonly smartWalletSupported: boolean | null;
  /** The offer as received JSON text. */
  readonly verbatim: string;
};

export type Judgement =
  | { readonly kind: 'fits'; readonly offer: Offer }
  | {
      readonly kind: 'mismatch';
      readonly what: 'scheme' | 'network' | 'asset' | 'payee' | 'dialect';
      readonly found: string;
    }
  /** The service demands a payment that this wallet cannot make. */
  | { readonly kind: 'unsupported'; readonly why: string }
  | { readonly kind: 'malformed'; readonly why: string };

const MAX_U64 = 2n ** 64n - 1n;
const AMOUNT = /^[1-9][0-9]{0,19}$/;
const MAX_MEMO_BYTES = 256;
/** Maximum length of quoted third-party text: enough for an address or an id. */
const SHOWN_CHARS = 64;

/** Checks an offer in the order scheme, network, asset, payee, dialect, then its values. */
export function judgeOffer(offer: JsonRecord, version: 1 | 2, wanted: Wanted): Judgement {
  if (offer['scheme'] !== 'exact') return mismatch('scheme', offer['scheme']);
  const network = normaliseNetwork(offer['network']);
  if (network !== wanted.network) return mismatch('network', offer['network']);
  if (offer['asset'] !== wanted.asset) return mismatch('asset', offer['asset']);
  if (offer['payTo'] !== wanted.payTo) return mismatch('payee', offer['payTo']);
  const extra = isJsonRecord(offer['extra']) ? offer['extra'] : {};
  const proof = proofOf(extra);
  if (proof !== wanted.proof) return mismatch('dialect', proof);
  const unsupported = proof === 'x402' ? whyUnpayable(extra, version) : null;
  return unsupported ?? readValues(offer, extra, wanted);
}

/**
 * A standard service names the fee payer, because it submits the transaction itself. Paying it by a
 * transfer would go unnoticed, and a service of the other kind would never submit a transaction.
 */
function proofOf(extra: JsonRecord): Service['proof'] {
  if (extra['proof'] === 'x-payment-proof') return 'x-payment-proof';
  return extra['feePayer'] === undefined || extra['feePayer'] === null ? 'x-payment-proof' : 'x402';
}

function whyUnpayable(extra: JsonRecord, version: 1 | 2): Judgement | null {
  if (version === 1) {
    return { kind: 'unsupported', why: 'the service takes standard payments in version 1 only' };
  }
  return smartWalletIn(extra) === false
    ? { kind: 'unsupported', why: 'the service takes no payments by programs' }
    : null;
}

function readValues(offer: JsonRecord, extra: JsonRecord, wanted: Wanted): Judgement {
  const amount = amountIn(offer);
  if (amount === null) return { kind: 'malformed', why: 'the amount is not a whole positive u64' };
  const feePayer = wanted.proof === 'x402' ? extra['feePayer'] : null;
  if (feePayer !== null && !isAddress(feePayer)) {
    return { kind: 'malformed', why: 'the fee payer is not an address' };
  }
  const memo = extra['memo'] ?? null;
  if (memo !== null && !isMemo(memo)) {
    return { kind: 'malformed', why: 'the memo is not a text of at most 256 bytes' };
  }
  const verbatim = writeExactJson(offer);
  if (verbatim === undefined) return { kind: 'malformed', why: 'the offer cannot be kept' };
  const { payTo, asset, network } = wanted;
  const smartWalletSupported = smartWalletIn(extra);
  return {
    kind: 'fits',
    offer: { amount, payTo, asset, network, feePayer, memo, smartWalletSupported, verbatim },
  };
}

/** `maxAmountRequired` is version 1's name; some services of version 2 use it as well. */
function amountIn(offer: JsonRecord): bigint | null {
  const { amount, maxAmountRequired } = offer;
  if (amount !== undefined && maxAmountRequired !== undefined && amount !== maxAmountRequired) {
    return null;
  }
  const text = amount ?? maxAmountRequired;
  if (typeof text !== 'string' || !AMOUNT.test(text)) return null;
  const value = BigInt(text);
  return value <= MAX_U64 ? value : null;
}

function smartWalletIn(extra: JsonRecord): boolean | null {
  const features = extra['features'];
  const said = isJsonRecord(features) ? features['smartWalletSupported'] : null;
  return typeof said === 'boolean' ? said : null;
}

function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 44) return false;
  try {
    return new PublicKey(value).toBase58() === value;
  } catch {
    return false;
  }
}

function isMemo(value: unknown): value is string {
  return typeof value === 'string' && Buffer.byteLength(value) <= MAX_MEMO_BYTES;
}

function mismatch(
  what: Extract<Judgement, { kind: 'mismatch' }>['what'],
  found: unknown,
): Judgement {
  const text = typeof found === 'string' ? found : typeof found;
  // oxlint-disable-next-line no-control-regex -- control characters are what this takes out
  const shown = text.slice(0, SHOWN_CHARS).replace(/[^\u0021-\u007e]/g, '?');
  return { kind: 'mismatch', what, found: shown };
}
