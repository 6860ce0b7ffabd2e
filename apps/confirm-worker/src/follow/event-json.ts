import type { PlainRecord, PlainValue } from '@agent-wallet/chain';
import { z } from 'zod';

/** The 64-bit integers among the fields that `applyToWallet` reads. */
const INTEGERS: ReadonlySet<string> = new Set(['index', 'max_per_tx', 'daily_cap', 'expiry']);

/** 64-bit integers become decimal strings: JSON numbers would lose them. */
export function eventJson(data: PlainRecord): string {
  return JSON.stringify(data, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** The stored data of an event that changes a wallet or a session. */
export const walletEventData = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]))
  .transform((stored): PlainRecord =>
    Object.fromEntries(
      Object.entries(stored).map(([name, value]): [string, PlainValue] => [
        name,
        INTEGERS.has(name) && typeof value === 'string' ? BigInt(value) : value,
      ]),
    ),
  );
