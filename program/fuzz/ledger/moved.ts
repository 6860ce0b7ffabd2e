import type { Raw } from '../chain/chain.ts';
import { TOKENS_BYTES } from '../world/account.ts';
import type { Id, Universe } from '../world/universe.ts';
import type { Passed } from './passed.ts';

/** A token account whose balance changed; `wallet` is the address of its token owner. */
export type Moved = {
  readonly id: Id;
  readonly mint: Id;
  readonly amount: bigint;
  readonly wallet: Buffer;
};

export function movedTokens({ before, after }: Passed, universe: Universe): readonly Moved[] {
  const { fixed, strayMints, addresses } = universe;
  const moved: Moved[] = [];
  for (const [id, now] of after) {
    const was = before.get(id) ?? null;
    for (const mint of [fixed.usdc, ...strayMints]) {
      const key = Buffer.from(addresses[mint] ?? []);
      const amount = amountIn(now, key, universe) - amountIn(was, key, universe);
      const wallet = (now ?? was)?.data.subarray(32, 64) ?? Buffer.alloc(0);
      if (amount !== 0n) moved.push({ id, mint, amount, wallet });
    }
  }
  return moved;
}

function amountIn(raw: Raw | null, mint: Buffer, { addresses, fixed }: Universe): bigint {
  if (raw === null || raw.data.length < TOKENS_BYTES) return 0n;
  const programs = [fixed.tokenProgram, fixed.token2022];
  const isTokens = programs.some((id) => raw.owner.equals(Buffer.from(addresses[id] ?? [])));
  return isTokens && raw.data.subarray(0, 32).equals(mint) ? raw.data.readBigUInt64LE(64) : 0n;
}
