import { PublicKey } from '@solana/web3.js';

const U64_MAX = 2n ** 64n - 1n;

/** A request to `POST /faucet` with at least one of the two amounts. */
export interface FaucetRequest {
  readonly address: PublicKey;
  readonly lamports?: number;
  readonly usdcBaseUnits?: bigint;
}

export type ParsedFaucetRequest =
  | { readonly kind: 'request'; readonly request: FaucetRequest }
  | { readonly kind: 'bad'; readonly reason: string };

/**
 * Parses the body of `POST /faucet`: `{ address, lamports?, usdc? }`. Amounts are whole base units
 * above 0, as a number up to 2^53 − 1 or a decimal string up to u64 (lamports: 2^53 − 1).
 */
export function parseFaucetRequest(body: string): ParsedFaucetRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return bad('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('the body must be a JSON object');
  }
  const fields: { address?: unknown; lamports?: unknown; usdc?: unknown } = value;
  const address = parseAddress(fields.address);
  if (address === undefined) return bad('address must be 32 bytes in base58');
  if (fields.lamports === undefined && fields.usdc === undefined) {
    return bad('the body must name lamports or usdc');
  }
  const lamports = parseAmount(fields.lamports, BigInt(Number.MAX_SAFE_INTEGER));
  if (lamports === 'bad') return bad('lamports must be a whole number from 1 to 2^53 - 1');
  const usdcBaseUnits = parseAmount(fields.usdc, U64_MAX);
  if (usdcBaseUnits === 'bad') {
    return bad('usdc must be a whole number of base units from 1: a number or a decimal string');
  }
  return {
    kind: 'request',
    request: {
      address,
      ...(lamports === undefined ? {} : { lamports: Number(lamports) }),
      ...(usdcBaseUnits === undefined ? {} : { usdcBaseUnits }),
    },
  };
}

function bad(reason: string): ParsedFaucetRequest {
  return { kind: 'bad', reason };
}

function parseAddress(value: unknown): PublicKey | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return new PublicKey(value);
  } catch {
    return undefined;
  }
}

function parseAmount(value: unknown, max: bigint): bigint | undefined | 'bad' {
  if (value === undefined) return undefined;
  if (!isSafeInteger(value) && !isDecimalString(value)) return 'bad';
  const amount = BigInt(value);
  return amount >= 1n && amount <= max ? amount : 'bad';
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isDecimalString(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9]{1,20}$/.test(value);
}
