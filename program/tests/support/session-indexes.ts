import type { PublicKey } from '@solana/web3.js';
import { getAccount } from './chain.ts';
import type { World } from './world.ts';

/** Offset of the next session's index in a vault, and of its own index in a session. */
const VAULT_INDEX_AT = 24;
const SESSION_INDEX_AT = 16;

/** Next index of the vault as the chain has it now; 0 without a vault. */
export function nextSessionIndex(world: World): bigint {
  return indexIn(world, world.vault, VAULT_INDEX_AT);
}

/** Index of the session as the chain has it now; 0 without a session. */
export function sessionIndex(world: World): bigint {
  return indexIn(world, world.session, SESSION_INDEX_AT);
}

function indexIn({ svm }: World, address: PublicKey, offset: number): bigint {
  const data = getAccount(svm, address)?.data;
  return data === undefined || data.length === 0 ? 0n : data.readBigUInt64LE(offset);
}
