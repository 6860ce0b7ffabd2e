import { createHash } from 'node:crypto';

import { PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';

import idl from '../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { coder } from '../program/idl.ts';
import * as calls from './instructions.ts';
import * as leaving from './leave-instructions.ts';
import { createWalletProgram } from '../program/program.ts';
import type { Reserve } from '../reserve/reserve.ts';
import * as yieldCalls from './yield-instructions.ts';

const named = (label: string): string =>
  new PublicKey(createHash('sha256').update(label).digest()).toBase58();
const program = createWalletProgram({
  programId: idl.address,
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});
const owner = named('owner');
const sessionPubkey = named('session key');
const vault = program.addresses.vaultPda(owner);
const session = program.addresses.sessionPda(vault, sessionPubkey);
const yieldAuthority = program.addresses.yieldPda(vault);
const reserve: Reserve = {
  programId: named('reserve program'),
  reserve: named('reserve'),
  lendingMarket: named('market'),
  lendingMarketAuthority: named('market authority'),
  liquiditySupply: named('supply'),
  collateralMint: named('collateral mint'),
};
const limits = { maxPerTx: 1n, dailyCap: 2n, expiry: 3n, allowedInstructions: 7 };
const spend = {
  vault,
  sessionPubkey,
  amount: 9n,
  spendSeq: 4n,
  sessionIndex: 5n,
  spendId: '00112233-4455-6677-8899-aabbccddeeff',
};

/** The address of each account of the IDL, for this owner, session and reserve. */
const addresses: Readonly<Record<string, string>> = {
  owner,
  vault,
  session,
  session_key: sessionPubkey,
  recipient: named('recipient'),
  vault_token_account: program.addresses.usdcAta(vault),
  recipient_token_account: program.addresses.usdcAta(named('recipient')),
  owner_token_account: program.addresses.usdcAta(owner),
  yield_authority: yieldAuthority,
  transit_token_account: program.addresses.usdcAta(yieldAuthority),
  collateral_token_account: program.addresses.ata(yieldAuthority, reserve.collateralMint),
  reserve: reserve.reserve,
  lending_market: reserve.lendingMarket,
  lending_market_authority: reserve.lendingMarketAuthority,
  liquidity_supply: reserve.liquiditySupply,
  collateral_mint: reserve.collateralMint,
  reserve_program: reserve.programId,
  event_authority: program.addresses.eventAuthority,
  token_account: named('a token account'),
  mint: named('a mint'),
};
/** Accounts that another instruction fixes and this one leaves open. */
const ofSweep = { authority: vault, token_program: named('a token program') };

const settings = { ...limits, sessionPubkey, recipients: [] };
const recipient = named('recipient');
const ownerTokens = program.addresses.usdcAta(owner);
const INDEX = 2n ** 40n + 5n;
const DEADLINE = 1_900_000_000n;
const namedSession = { sessionPda: session, sessionIndex: INDEX };
const granted = { sessionIndex: INDEX, deadline: DEADLINE };
const swept = {
  authority: 'vault',
  tokenAccount: named('a token account'),
  ownerTokenAccount: ownerTokens,
  mint: named('a mint'),
  tokenProgram: named('a token program'),
  close: true,
} as const;
/** The instructions that the owner signs. */
const owners: readonly (readonly [name: string, call: TransactionInstruction])[] = [
  ['init_vault', calls.initVault(program, owner, 5, DEADLINE)],
  ['add_session', calls.addSession(program, owner, settings, granted)],
  [
    'update_session_allowlist',
    calls.updateSessionAllowlist(program, owner, namedSession, [recipient], DEADLINE),
  ],
  [
    'update_session_limits',
    calls.updateSessionLimits(program, owner, namedSession, limits, DEADLINE),
  ],
  ['revoke_session', calls.revokeSession(program, owner, namedSession)],
  ['set_max_deployed_fraction', calls.setMaxDeployedFraction(program, owner, 5, DEADLINE)],
  ['set_paused', calls.setPaused(program, owner, true, DEADLINE)],
  ['owner_withdraw', calls.ownerWithdraw(program, owner, 6n, ownerTokens)],
  ['init_yield', yieldCalls.initYield(program, reserve, owner)],
  ['migrate_vault', leaving.migrateVault(program, owner)],
  ['sweep_token_account', leaving.sweepTokenAccount(program, owner, swept, DEADLINE)],
  ['sweep_lamports', leaving.sweepLamports(program, owner)],
  ['close_vault', leaving.closeVault(program, reserve, owner, INDEX)],
];
const withdrawal = { ...spend, collateralAmount: 8n };
/** The instructions that the session key signs. */
const spends: typeof owners = [
  ['transfer_usdc', calls.transferUsdc(program, { ...spend, recipient })],
  ['yield_deposit', yieldCalls.yieldDeposit(program, reserve, spend)],
  ['yield_withdraw', yieldCalls.yieldWithdraw(program, reserve, withdrawal)],
];
const built = [
  ...owners.map((one) => [...one, ofSweep] as const),
  ...spends.map((one) => [...one, { authority: sessionPubkey }] as const),
];

describe('an instruction', () => {
  test('is built for each entry of the IDL', () => {
    expect(built.map(([name]) => name).toSorted()).toEqual(
      idl.instructions.map(({ name }) => name).toSorted(),
    );
  });

  test.each(built)('%s has the accounts of the IDL in their order', (name, call, more) => {
    expect(listed(call)).toEqual(expectedAccounts(name, { ...addresses, ...more }));
    expect(coder.instruction.decode(call.data)?.name).toBe(name);
  });
});

test('a transfer names the bump of its recipient, so that the program tries no other', () => {
  const wallets = Array.from({ length: 8 }, (_, place) => named(`recipient ${place}`));
  const bumps = wallets.map((one) => program.addresses.ataBump(one, program.usdcMint));
  expect(new Set(bumps).size).toBeGreaterThan(1);
  expect(
    wallets.map((one) => calls.transferUsdc(program, { ...spend, recipient: one }).data.at(-1)),
  ).toEqual(bumps);
});

test.each([
  ['init_vault', 'deadline'],
  ['add_session', 'session_index deadline'],
  ['update_session_allowlist', 'session_index deadline'],
  ['update_session_limits', 'session_index deadline'],
  ['revoke_session', 'session_index'],
  ['set_max_deployed_fraction', 'deadline'],
  ['set_paused', 'deadline'],
  ['sweep_token_account', 'deadline'],
  ['close_vault', 'session_index'],
])('a signature for %s ends with its %s', (name, fields) => {
  const wanted = fields.split(' ').map((field) => (field === 'deadline' ? DEADLINE : INDEX));
  const bytes = Buffer.alloc(8 * wanted.length);
  wanted.forEach((value, n) => bytes.writeBigUInt64LE(value, 8 * n));
  const [, call] = owners.find(([one]) => one === name) ?? [];
  expect(call?.data.subarray(-bytes.length)).toEqual(bytes);
});

describe('a swept token account', () => {
  const other = { authority: 'yield', ownerTokenAccount: null, close: false } as const;
  const call = leaving.sweepTokenAccount(program, owner, { ...swept, ...other }, DEADLINE);

  test('may belong to the yield authority, and be empty', () => {
    const found = call.keys.map(({ pubkey }) => pubkey.toBase58());
    expect([found[2], found[4]]).toEqual([yieldAuthority, idl.address]);
    expect(call.keys[4]?.isWritable).toBe(false);
  });

  test('stays open when it is not to be closed', () => {
    expect([call.data[8], swept.close]).toEqual([0, true]);
  });
});

describe('yield of an owner', () => {
  const amounts = { amount: 9n, collateralAmount: 8n };
  const withdrawn = yieldCalls.ownerYieldWithdraw(program, reserve, owner, amounts, DEADLINE);
  test.each([
    ['yield_deposit', yieldCalls.ownerYieldDeposit(program, reserve, owner, 9n, DEADLINE)],
    ['yield_withdraw', withdrawn],
  ])('%s has no session and no spend, and ends with its deadline', (name, call) => {
    const expected = expectedAccounts(name, { ...addresses, authority: owner }).map((meta) =>
      meta.address === session ? { ...meta, address: idl.address, isWritable: false } : meta,
    );
    expect(listed(call)).toEqual(expected);
    const bytes = Buffer.alloc(40);
    bytes.writeBigInt64LE(DEADLINE, 32);
    expect(call.data.subarray(-40)).toEqual(bytes);
  });
});

function listed(call: TransactionInstruction): readonly object[] {
  return call.keys.map(({ pubkey, isSigner, isWritable }) => ({
    address: pubkey.toBase58(),
    isSigner,
    isWritable,
  }));
}

function expectedAccounts(
  name: string,
  known: Readonly<Record<string, string>>,
): readonly { address: string | undefined; isSigner: boolean; isWritable: boolean }[] {
  const definition = idl.instructions.find((one) => one.name === name);
  return (definition?.accounts ?? []).map((account) => ({
    address: 'address' in account ? account.address : known[account.name],
    isSigner: 'signer' in account && account.signer,
    isWritable: 'writable' in account && account.writable,
  }));
}
