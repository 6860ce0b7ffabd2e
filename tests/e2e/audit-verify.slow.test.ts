import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { EVERYTHING, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { readIntake } from '@agent-wallet/db';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { appProcesses } from '@agent-wallet/local-system/system/app-processes.ts';
import { forgeLog, hashAnew } from '../support/database/forge-log.ts';
import {
  createLaneFixture,
  type LaneFixture,
  type TestWallet,
} from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const MAIN = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
const run = promisify(execFile);

const system = useSystem({
  slotTimeMs: 50,
  processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
});
let fixture: LaneFixture;
let wallet: TestWallet;
let paidId: string;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
  wallet = await fixture.createWallet(10_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  const stranger = Keypair.generate().publicKey.toBase58();
  paidId = await fixture.request(wallet, session, { recipient, amount: 250_000n });
  const others = await Promise.all([
    fixture.request(wallet, session, { recipient, amount: 1n }),
    fixture.request(wallet, session, { recipient: stranger, amount: 5n }),
  ]);
  await fixture.settled([paidId, ...others]);
  await system().faucet.usdc(new PublicKey(wallet.vaultUsdcAta), 500n);
  await waitUntil('the follower', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from spend where status = 'finalized' and event_joined_at is not null
      having count(*) = 2
    `),
  );
});
afterAll(() => fixture[Symbol.asyncDispose]());

type Ended = { readonly code: number; readonly out: string; readonly err: string };

/** The command as an operator runs it. */
async function agentWallet(args: readonly string[], change: object = {}): Promise<Ended> {
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: system().databaseUrls.auditor,
    RPC_URL: system().urls.rpc,
    PROGRAM_ID: system().programId,
    USDC_MINT: system().usdcMint,
    ...change,
  };
  const ended = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });
  const { code, stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env }).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => ended.parse(error),
  );
  return { code, out: stdout.trim(), err: withoutLibraryNotice(stderr).trim() };
}

/** A library of the token client says at its import that it runs without a native addon. */
function withoutLibraryNotice(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => !line.startsWith('bigint: Failed to load bindings'))
    .join('\n');
}

const VERIFY = ['audit', 'verify'];

test('an honest wallet is equal in log, rows, events, chain and balance', async () => {
  expect(await agentWallet(VERIFY)).toEqual({
    code: 0,
    out:
      'all equal: wallets 1, log rows 5, events on the chain 4; ' +
      'balance 9750499 = deposits 10000500 − landed 250001',
    err: '',
  });
  const withoutChain = await agentWallet([...VERIFY, '--wallet', wallet.walletId], {
    RPC_URL: undefined,
  });
  expect(withoutChain).toMatchObject({ code: 0 });
  expect(withoutChain.out).toContain('the chain was not compared, because RPC_URL is not set');
});

test('what the owner deploys, brings back and withdraws is compared as well', async () => {
  const { ownerTransactions } = fixture;
  const { owner: signer } = wallet;
  const owner = signer.publicKey.toBase58();
  const { addresses } = fixture.program;
  const collateralAccount = addresses.ata(
    addresses.yieldPda(wallet.vault),
    SANDBOX_RESERVE.collateralMint,
  );
  await fixture.ownerSends(
    signer,
    await ownerTransactions.setMaxDeployedFraction(owner, 5_000, SANDBOX_RESERVE),
  );
  await fixture.ownerSends(
    signer,
    await ownerTransactions.yieldDeposit(owner, SANDBOX_RESERVE, 4_000_000n),
  );
  await fixture.ownerSends(signer, await ownerTransactions.withdraw(owner, 1_000_000n, null));
  await fixture.ownerSends(
    signer,
    await ownerTransactions.yieldWithdraw(owner, SANDBOX_RESERVE, {
      amount: EVERYTHING,
      collateralAmount: await fixture.balance(collateralAccount),
    }),
  );
  await fixture.ownerSends(signer, await ownerTransactions.withdraw(owner, EVERYTHING, null));
  await waitUntil('the follower', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from audit where action = 'owner_withdraw' having count(*) = 2
    `),
  );
  // Five transactions with six events: the first of them also made the vault ready for yield.
  expect(await agentWallet(VERIFY)).toEqual({
    code: 0,
    out:
      'all equal: wallets 1, log rows 11, events on the chain 10; ' +
      'balance 0 = deposits 10000500 − landed 250001 − withdrawn 9750499 ' +
      '− deployed 4000000 + returned 4000000; in the yield reserve 0',
    err: '',
  });
});

test('a vault whose owner has swept the collateral and closed it is compared as well', async () => {
  const { ownerTransactions: build, program } = fixture;
  const { owner: signer, walletId, vault } = await fixture.createWallet(3_000_000n);
  const owner = signer.publicKey.toBase58();
  const yieldPda = program.addresses.yieldPda(vault);
  const { collateralMint } = SANDBOX_RESERVE;
  const receiver = await createCollateralAccount(signer);
  const swept = (mint: string, ownerTokenAccount: string | null) =>
    build.sweepTokenAccount(owner, {
      authority: 'yield',
      tokenAccount: program.addresses.ata(yieldPda, mint),
      ownerTokenAccount,
      mint,
      tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
      close: true,
    });
  for (const step of [
    () => build.setMaxDeployedFraction(owner, 5_000, SANDBOX_RESERVE),
    () => build.yieldDeposit(owner, SANDBOX_RESERVE, 1_000_000n),
    () => swept(collateralMint, receiver),
    () => swept(program.usdcMint, null),
    () => build.withdraw(owner, EVERYTHING, null),
    async () => build.closeVault(owner, SANDBOX_RESERVE, await fixture.nextSessionIndex(vault)),
  ]) {
    await fixture.ownerSends(signer, await step());
  }
  await waitUntil('the follower', () =>
    fixture.db.exists(sql.unsafe`select 1 from audit where action = 'close_vault'`),
  );
  expect(await agentWallet([...VERIFY, '--wallet', walletId])).toEqual({
    code: 0,
    out:
      'all equal: wallets 1, log rows 8, events on the chain 8; balance 0 = deposits 3000000 ' +
      '− landed 0 − withdrawn 2000000 − deployed 1000000; in the yield reserve 0',
    err: '',
  });
});

/** The owner's own account for collateral, created at the owner's expense. */
async function createCollateralAccount(signer: Keypair): Promise<string> {
  const mint = new PublicKey(SANDBOX_RESERVE.collateralMint);
  const address = getAssociatedTokenAddressSync(mint, signer.publicKey);
  const { publicKey } = signer;
  const transaction = new Transaction({ feePayer: publicKey }).add(
    createAssociatedTokenAccountIdempotentInstruction(publicKey, address, publicKey, mint),
  );
  transaction.recentBlockhash = (await fixture.rpc.latestBlockhash()).blockhash;
  const unsigned = transaction.serialize({ requireAllSignatures: false });
  await fixture.ownerSends(signer, unsigned.toString('base64'));
  return address.toBase58();
}

test('what cannot be done is said in one sentence', async () => {
  const cases: readonly (readonly [readonly string[], object, RegExp])[] = [
    [VERIFY, { RPC_URL: 'http://127.0.0.1:1' }, /^The command failed: RPC_UNAVAILABLE/],
    [VERIFY, { USDC_MINT: noMint() }, /^This database belongs to mint .*\.$/],
    [['audit', 'forge'], {}, /^There is no command "audit forge": try --help\.$/],
  ];
  for (const [args, change, sentence] of cases) {
    const { code, out, err } = await agentWallet(args, change);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(sentence);
    expect(err.split('\n')).toHaveLength(1);
  }
});

const noMint = (): string => Keypair.generate().publicKey.toBase58();

test('a forged amount is found, also where rows, events and hashes were all forged', async () => {
  const edits = ['audit', 'spend'].map(
    (table) => sql.unsafe`
      update ${sql.identifier([table])} set amount = 999999 where spend_id = ${paidId}::uuid
    `,
  );
  await forgeLog(fixture.db, edits.slice(0, 1));
  const edited = await agentWallet(VERIFY);
  expect(edited).toMatchObject({ code: 1, err: '' });
  expect(edited.out).toMatch(
    new RegExp(`^wallet ${wallet.walletId}: log row \\d: row was changed$`),
  );

  await forgeLog(fixture.db, [
    ...edits,
    sql.unsafe`
      update program_event set data = jsonb_set(data, '{amount}', '"999999"')
      where spend_id = ${paidId}::uuid
    `,
  ]);
  await hashAnew(fixture.db, wallet.walletId);
  const withoutChain = await agentWallet(VERIFY, { RPC_URL: undefined });
  expect(withoutChain).toMatchObject({ code: 0 });
  const forged = await agentWallet(VERIFY);
  expect(forged).toMatchObject({ code: 1, err: '' });
  expect(forged.out).toMatch(
    /: event UsdcTransferred of .*: amount is "250000", stored is "999999"$/,
  );

  await forgeLog(fixture.db, [
    sql.unsafe`delete from program_event where spend_id = ${paidId}::uuid`,
    sql.unsafe`delete from audit where spend_id = ${paidId}::uuid`,
  ]);
  const removed = await agentWallet(VERIFY);
  expect(removed).toMatchObject({ code: 1 });
  expect(removed.out).toMatch(/: log row \d: row missing$/);
});

test('an operator who reports a restore closes the lanes until the past is settled', async () => {
  const asOperator = { DATABASE_URL: system().databaseUrls.operator };
  const told = await agentWallet(['ops', 'restored'], asOperator);
  expect(told).toMatchObject({ code: 0, err: '' });
  expect(told.out).toMatch(/^Intake is closed as of block \d+/);
  expect(await readIntake(fixture.db)).toMatchObject({ isOpen: false });
  await waitUntil(
    'the lanes to be open again',
    async () => (await readIntake(fixture.db))?.isOpen,
    {
      timeoutMs: 60_000,
    },
  );
}, 90_000);
