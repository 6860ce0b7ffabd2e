import { createTransferInstruction } from '@solana/spl-token';
import { TransactionInstruction } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { attempt, EVENT_AUTHORITY, run } from '../support/call.ts';
import {
  closeVault,
  initVault,
  migrateVault,
  transferUsdc,
  yieldDeposit,
} from '../support/calls.ts';
import { replaced } from '../support/mutators.ts';
import {
  editData,
  FIRST_INDEX,
  type Outcome,
  PROGRAM_ID,
  setAccount,
  setTokenAccount,
  tokenBalance,
} from '../support/chain.ts';
import { everyInstruction, fullWorld } from '../support/every-instruction.ts';
import { expectError, EVENT_CPI_TAG } from '../support/expect.ts';
import { addRelay, relayed, RELAY_ID } from '../support/hostile.ts';
import { withVersion1 } from '../support/version-1.ts';
import { paid, read, VAULT_BALANCE, type World, worldWithEmptyVault } from '../support/world.ts';
import { balances } from '../support/yield-world.ts';

const NEXT_INDEX_AT = 24;
const PRIVILEGE = 'Cross-program invocation with unauthorized signer or writable account';

describe('another program that calls the wallet', () => {
  it.each(everyInstruction)('cannot claim a signature that it was not given: %s', (_, make) => {
    const world = worldWithRelay();
    const before = balances(world);
    const outcome = attempt(world, relayed([make(world)], []));
    expectRefused(outcome, PRIVILEGE);
    expect(balances(world)).toEqual(before);
  });

  it.each(everyInstruction)('is refused without a signature: %s', (_, make) => {
    const world = worldWithRelay();
    const call = make(world);
    const accounts = call.accounts.map((meta) => ({ ...meta, isSigner: false }));
    const outcome = attempt(world, relayed([{ ...call, accounts }], []));
    expect(outcome.failed).toBe(true);
    expect(outcome.logs.join('\n')).toContain('AccountNotSigner');
  });

  it('may relay a spend that the session signed, once and within its limits', () => {
    const world = worldWithRelay();
    const relay = (args: Parameters<typeof transferUsdc>[1]): Outcome => {
      const call = relayed([transferUsdc(world, args)], [world.sessionKey.publicKey]);
      return attempt({ ...world, payer: world.sessionKey }, call);
    };
    expect(relay({ amount: 60n, spend_seq: 7n }).failed).toBe(false);
    expectError(relay({ amount: 60n, spend_seq: 7n }), 'SpendAlreadyExecuted');
    expectError(relay({ amount: 61n, spend_seq: 8n }), 'AmountExceedsMaxPerTx');
    expectError(relay({ amount: 41n, spend_seq: 8n }), 'DailyCapExceeded');
    expect(paid(world)).toBe(60n);
  });

  it('may relay what the owner signed: a vault grows, closes and begins anew in one call', () => {
    const world = withVersion1(worldWithEmptyVault());
    editData(world.svm, world.vault, (data) => void data.writeBigUInt64LE(0n, NEXT_INDEX_AT));
    addRelay(world.svm);
    const calls = [migrateVault(world), closeVault(world), initVault(world)];
    run({ ...world, payer: world.owner }, relayed(calls, [world.owner.publicKey]));
    expect(read(world, 'Vault', world.vault)).toMatchObject({
      version: 2,
      next_session_index: FIRST_INDEX + 65_536n,
      open_sessions: 0n,
    });
  });

  it('cannot relay one spend twice in one call', () => {
    const world = worldWithRelay();
    const spend = transferUsdc(world, { spend_seq: 7n });
    const call = relayed([spend, spend], [world.sessionKey.publicKey]);
    const outcome = attempt({ ...world, payer: world.sessionKey }, call);
    expectError(outcome, 'SpendAlreadyExecuted');
    expect(paid(world)).toBe(0n);
  });

  it("does not receive the vault's signature, so it cannot take from its token account", () => {
    const world = worldWithRelay();
    const address = setTokenAccount(world.svm, world.stranger.publicKey, 0n);
    const theft = createTransferInstruction(world.vaultTokenAccount, address, world.vault, 1n);
    const spend = transferUsdc(world, { spend_seq: 7n });
    const call = relayed([spend, theft], [world.sessionKey.publicKey]);
    expectRefused(attempt({ ...world, payer: world.sessionKey }, call), PRIVILEGE);
    expect(tokenBalance(world.svm, world.vaultTokenAccount)).toBe(VAULT_BALANCE - 99n);
  });

  it.each([
    ['claims the signature of the event authority', true, PRIVILEGE],
    ['has no signature of the event authority', false, 'ConstraintSigner'],
  ])('cannot forge an event: it %s', (_name, isSigner, reason) => {
    const world = worldWithRelay();
    const forged = new TransactionInstruction({
      programId: PROGRAM_ID,
      keys: [{ pubkey: EVENT_AUTHORITY, isSigner, isWritable: false }],
      data: Buffer.concat([EVENT_CPI_TAG, Buffer.alloc(100, 7)]),
    });
    expectRefused(attempt(world, relayed([forged], [])), reason);
  });

  it.each([
    ['the relay', RELAY_ID],
    ['nothing', undefined],
  ])('cannot replace the reserve: %s in its place', (_name, program) => {
    const world = worldWithRelay();
    const replace = replaced('reserve_program', () => program ?? world.vault);
    const call = replace(yieldDeposit(world, { spend_seq: 7n }), world);
    expectError(attempt(world, call), 'ReserveMismatch', 'reserve_program');
  });
});

/** 99 are deployed; the session key has lamports to pay a fee with. */
function worldWithRelay(): World {
  const world = fullWorld();
  addRelay(world.svm);
  setAccount(world.svm, world.sessionKey.publicKey, { lamports: 1_000_000_000n });
  return world;
}

function expectRefused({ failed, logs }: Outcome, reason: string): void {
  expect(failed, 'the call passed').toBe(true);
  expect(logs.join('\n')).toContain(reason);
}
