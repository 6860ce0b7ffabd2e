import { createHash } from 'node:crypto';

import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';

import idl from '../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { vaultBytes } from '../../../../tests/support/chain/chain-double-bytes.ts';
import { createWalletProgram } from './program.ts';

const named = (label: string): string =>
  new PublicKey(createHash('sha256').update(label).digest()).toBase58();
const program = createWalletProgram({ programId: idl.address, usdcMint: named('mint') });
const [owner, vaultTokenAccount] = [named('owner'), named('vault token account')];

const VERSION_AT = 8;
const NEXT_INDEX_AT = 24;
const OPEN_SESSIONS_AT = 96;
const INDEX = (400_000_000n << 16n) + 3n;

/** A vault in both layouts: the second has the count of open sessions after the first. */
function bytesOf(version: 1 | 2): Buffer {
  const data = vaultBytes(owner, vaultTokenAccount, 5n);
  data.writeBigUInt64LE(INDEX, NEXT_INDEX_AT);
  data.writeBigUInt64LE(7n, OPEN_SESSIONS_AT);
  data[VERSION_AT] = version;
  return version === 1 ? data.subarray(0, OPEN_SESSIONS_AT) : data;
}

const decode = (data: Buffer) =>
  program.decodeVault({ address: named('vault'), owner: idl.address, data, lamports: 1n });

describe('a vault', () => {
  test.each([
    [1, null],
    [2, 7n],
  ] as const)('of version %i has %s open sessions', (version, openSessions) => {
    expect(decode(bytesOf(version))).toEqual({
      owner,
      maxDeployedFractionBp: 10_000,
      deployedAmount: 5n,
      paused: false,
      nextSessionIndex: INDEX,
      openSessions,
      vaultTokenAccount,
    });
  });

  test('of one version and the size of the other is not ours', () => {
    for (const [version, data] of [
      [2, bytesOf(1)],
      [1, bytesOf(2)],
      [3, bytesOf(2)],
      [0, bytesOf(1)],
    ] as const) {
      const changed = Buffer.from(data);
      changed[VERSION_AT] = version;
      expect(decode(changed)).toBeNull();
    }
    expect(decode(bytesOf(2).subarray(0, VERSION_AT))).toBeNull();
  });
});
