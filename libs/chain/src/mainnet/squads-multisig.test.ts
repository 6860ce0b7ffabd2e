import { expect, test } from 'vitest';
import { SQUADS } from '../../fixtures/squads-bytes.ts';
import {
  multisigAddress,
  parseMultisig,
  SQUADS_PROGRAM,
  vaultOfMultisig,
} from './squads-multisig.ts';

const account = (base64: string, changed: { owner?: string; address?: string } = {}) => ({
  address: SQUADS.multisig,
  owner: SQUADS_PROGRAM,
  lamports: 1n,
  data: Uint8Array.from(Buffer.from(base64, 'base64')),
  ...changed,
});

test('the addresses of a multisig and of its vaults are those of the package of Squads', () => {
  expect(multisigAddress(SQUADS.createKey)).toBe(SQUADS.multisig);
  expect(vaultOfMultisig(SQUADS.multisig)).toBe(SQUADS.vault);
  expect(vaultOfMultisig(SQUADS.multisig, 1)).toBe(SQUADS.secondVault);
});

test('a multisig of the package of Squads is read, with and without the optional fields', () => {
  expect(parseMultisig(account(SQUADS.twoOfThree))).toEqual({
    threshold: 2,
    voters: 3,
    configAuthority: null,
  });
  expect(parseMultisig(account(SQUADS.oneWithAuthority))).toEqual({
    threshold: 1,
    voters: 1,
    configAuthority: SQUADS.configAuthority,
  });
});

test('an account of another program, at another address, of another kind or cut is none', () => {
  const bytes = Buffer.from(SQUADS.twoOfThree, 'base64');
  const otherKind = Buffer.from(bytes).fill(0, 0, 8).toString('base64');
  for (const one of [
    account(SQUADS.twoOfThree, { owner: SQUADS.vault }),
    account(SQUADS.twoOfThree, { address: SQUADS.vault }),
    account(otherKind),
    ...[0, 8, 90, bytes.length - 1].map((end) =>
      account(bytes.subarray(0, end).toString('base64')),
    ),
  ]) {
    expect(parseMultisig(one)).toBeNull();
  }
});
