import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  createOwnerTransactions,
  createRpc,
  createWalletProgram,
  SANDBOX_RESERVE,
} from '@agent-wallet/chain';
import {
  AuthorityType,
  createAccount,
  createAssociatedTokenAccountIdempotent,
  createMint,
  getAssociatedTokenAddressSync,
  mintTo,
  setAuthority,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  Transaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { localProgramId, USDC_MINT } from '@agent-wallet/local-system/chain/chain-facts.ts';
import type { StartedNode } from '@agent-wallet/local-system/chain/embedded-node.ts';
import { createReserveMarket } from '@agent-wallet/local-system/chain/reserve-market.ts';
import { confirm } from '@agent-wallet/local-system/chain/send-and-confirm.ts';
import { startLocalNode } from '@agent-wallet/local-system/chain/start-local-node.ts';
import { createFaucet } from '@agent-wallet/local-system/faucet/faucet.ts';

const MAIN = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
const run = promisify(execFile);
const USDC = 1_000_000n;
const FEE = 5_000;
const SLOT_TIME_MS = 100;
/** Lengths and fields of the vault's layouts. */
const VAULT_1 = { bytes: 96, versionAt: 8, nextIndexAt: 24 };
/** A library of the token client says at its import that it runs without a native addon. */
const LIBRARY_NOTICE = 'bigint: Failed to load bindings';

/** What the command shows before it signs. */
const PLAN = /^With the key of |^ {2}/;

const dir = mkdtempSync(join(tmpdir(), 'exit-'));
const programId = localProgramId();
const program = createWalletProgram({ programId, usdcMint: USDC_MINT });
const { addresses } = program;
let chain: StartedNode;
let connection: Connection;
let mintAuthority: Keypair;

beforeAll(async () => {
  const { node, faucet } = await startLocalNode({ slotTimeMs: SLOT_TIME_MS });
  chain = node;
  connection = new Connection(chain.rpcUrl, 'confirmed');
  mintAuthority = faucet;
});
afterAll(async () => {
  await chain.stop();
  rmSync(dir, { recursive: true });
});

const usdcMint = new PublicKey(USDC_MINT);
const openFaucet = () => createFaucet({ connection, usdcMint, mintAuthority });
const openMarket = () => createReserveMarket({ connection, usdcMint, admin: mintAuthority });

async function ownerSends(owner: Keypair, txBase64: string): Promise<void> {
  const transaction = Transaction.from(Buffer.from(txBase64, 'base64'));
  transaction.sign(owner);
  await confirm(connection, await connection.sendRawTransaction(transaction.serialize()));
}

/** An owner with 10 USDC, of which 5 are deployed, and with two sessions. */
async function createOwner() {
  const owner = Keypair.generate();
  const address = owner.publicKey.toBase58();
  const vault = addresses.vaultPda(address);
  const rpc = createRpc({ url: chain.rpcUrl, timeoutMs: 5_000 });
  const transactions = createOwnerTransactions(program, () => rpc.latestBlockhash(), Date.now);
  await openFaucet().sol(owner.publicKey, LAMPORTS_PER_SOL);
  await ownerSends(owner, await transactions.initVault(address, 8_000, SANDBOX_RESERVE));
  await openFaucet().usdc(new PublicKey(addresses.usdcAta(vault)), 10n * USDC);
  await ownerSends(owner, await transactions.yieldDeposit(address, SANDBOX_RESERVE, 5n * USDC));
  const [account] = (await rpc.accounts([vault], { commitment: 'confirmed' })).accounts;
  const first = account ? program.decodeVault(account)?.nextSessionIndex : undefined;
  if (first === undefined) throw new Error('there is no vault');
  const sessions: string[] = [];
  for (const index of [first, first + 1n]) {
    const sessionPubkey = Keypair.generate().publicKey.toBase58();
    const limits = {
      sessionPubkey,
      maxPerTx: USDC,
      dailyCap: USDC,
      expiry: BigInt(Math.floor(Date.now() / 1_000)) + 3_600n,
      allowedInstructions: 7,
      recipients: [Keypair.generate().publicKey.toBase58()],
    };
    await ownerSends(owner, await transactions.addSession(address, limits, index));
    sessions.push(addresses.sessionPda(vault, sessionPubkey));
  }
  const yieldAuthority = addresses.yieldPda(vault);
  const collateral = addresses.ata(yieldAuthority, SANDBOX_RESERVE.collateralMint);
  const transit = addresses.usdcAta(yieldAuthority);
  const keypairFile = join(dir, `${address}.json`);
  writeFileSync(keypairFile, JSON.stringify([...owner.secretKey]));
  const accounts = [vault, addresses.usdcAta(vault), yieldAuthority, transit, collateral];
  return { owner, keypairFile, vault, transit, accounts: [...accounts, ...sessions] };
}

/** Gives the vault 42 units of a new mint of Token-2022. */
async function donateForeignTokens(vault: string): Promise<{ mint: PublicKey; account: string }> {
  const program2022 = TOKEN_2022_PROGRAM_ID;
  const payer = mintAuthority;
  const mint = await createMint(
    connection,
    payer,
    payer.publicKey,
    null,
    0,
    Keypair.generate(),
    undefined,
    program2022,
  );
  const account = await createAssociatedTokenAccountIdempotent(
    connection,
    payer,
    mint,
    new PublicKey(vault),
    undefined,
    program2022,
    undefined,
    true,
  );
  await mintTo(connection, payer, mint, account, payer, 42, [], undefined, program2022);
  return { mint, account: account.toBase58() };
}

/** Gives the vault an account with 5 base units of USDC that only the donor can close. */
async function donateUnclosable(vault: string): Promise<PublicKey> {
  const donor = mintAuthority;
  const account = await createAccount(
    connection,
    donor,
    usdcMint,
    donor.publicKey,
    Keypair.generate(),
  );
  for (const [type, authority] of [
    [AuthorityType.CloseAccount, donor.publicKey],
    [AuthorityType.AccountOwner, new PublicKey(vault)],
  ] as const) {
    await setAuthority(connection, donor, account, donor, type, authority);
  }
  await openFaucet().usdc(account, 5n);
  return account;
}

/** Turns a vault into one of version 1, which created as many sessions as it has. */
async function makeOlder(vault: string, sessions: number): Promise<void> {
  const account = await connection.getAccountInfo(new PublicKey(vault));
  if (account === null) throw new Error('there is no vault');
  const data = Buffer.from(account.data.subarray(0, VAULT_1.bytes));
  data.writeUInt8(1, VAULT_1.versionAt);
  data.writeBigUInt64LE(BigInt(sessions), VAULT_1.nextIndexAt);
  const lamports = await connection.getMinimumBalanceForRentExemption(VAULT_1.bytes);
  chain.setAccount(vault, lamports, [...data], programId);
}

async function exists(list: readonly string[]): Promise<readonly string[]> {
  const found = await connection.getMultipleAccountsInfo(list.map((one) => new PublicKey(one)));
  return list.filter((_, index) => found[index] !== null);
}

async function balance(address: string | PublicKey): Promise<bigint> {
  return BigInt((await connection.getTokenAccountBalance(new PublicKey(address))).value.amount);
}

const ended = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

/** Sets the clock of a process back by an hour. */
const LATE_CLOCK = '--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()-3600000';

/** The command as an owner runs it: without a database and without the api. */
async function leave(keypairFile: string, ...args: readonly string[]) {
  return leaveWith({}, keypairFile, ...args);
}

async function leaveWith(
  { yes = true, ...change }: { readonly NODE_OPTIONS?: string; readonly yes?: boolean },
  keypairFile: string,
  ...args: readonly string[]
) {
  const given = { PATH: process.env['PATH'], RPC_URL: chain.rpcUrl, PROGRAM_ID: programId };
  const env = { ...given, ...change };
  const line = [MAIN, 'exit', ...(yes ? ['--yes'] : []), '--keypair', keypairFile, ...args];
  const { code, stdout, stderr } = await run(process.execPath, line, { env }).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => ended.parse(error),
  );
  const lines = stderr.split('\n').filter((text) => !text.startsWith(LIBRARY_NOTICE));
  const plan = lines.filter((text) => PLAN.test(text));
  const err = lines.filter((text) => !PLAN.test(text));
  return { code, out: stdout, plan, err: err.join('\n').trim() };
}

test('an owner leaves with everything, also what was donated and what the reserve pays late', async () => {
  const { owner, keypairFile, vault, transit, accounts } = await createOwner();
  const foreign = await donateForeignTokens(vault);
  const unclosable = await donateUnclosable(vault);
  await openFaucet().usdc(new PublicKey(transit), 3n);
  await openFaucet().sol(new PublicKey(vault), 1_000_000);
  await openFaucet().sol(new PublicKey(addresses.yieldPda(vault)), 2_000_000);
  const all = [...accounts, foreign.account];
  await openMarket().lendOut(4n * USDC);

  const looked = await leave(keypairFile, '--dry-run');
  expect(looked).toMatchObject({ code: 0, err: '' });
  const unasked = await leaveWith({ yes: false }, keypairFile);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringMatching(/^Nothing was signed: /) });
  expect(unasked.plan).toContainEqual(expect.stringMatching(/^ {2}1\. Pause the vault/));
  expect(looked.out).toMatch(/^sessions +2 open, the vault counts 2$/m);
  expect(looked.out).toMatch(/^in the vault +5 USDC$/m);
  expect(looked.out).toMatch(/^in the reserve +5 USDC deployed/m);
  expect(await exists(all)).toEqual(all);

  const first = await leave(keypairFile);
  expect(first).toMatchObject({ code: 1, err: '' });
  expect(first.out).toMatch(/^stays: \d+ units of collateral, which the reserve does not redeem/m);
  const home = addresses.usdcAta(owner.publicKey.toBase58());
  expect(await balance(home)).toBeGreaterThan(6n * USDC);
  expect(await exists(all)).toEqual(
    accounts.filter((one) => accounts.indexOf(one) < 5 && one !== addresses.yieldPda(vault)),
  );

  await openMarket().repay();
  const late = await leaveWith({ NODE_OPTIONS: LATE_CLOCK }, keypairFile);
  expect(late).toMatchObject({ code: 2, out: expect.stringMatching(/^in the reserve /m) });
  expect(late.err).toMatch(/^The clock of this machine is 10 minutes or more behind the chain's/);
  const second = await leave(keypairFile, '--json');
  expect(second.code).toBe(0);
  expect(JSON.parse(second.out)).toMatchObject({ closed: true, stays: [] });
  expect(await exists(all)).toEqual([]);
  expect(await balance(home)).toBe(10n * USDC + 3n + 5n);
  expect(await balance(unclosable)).toBe(0n);
  const tokens = [foreign.mint, owner.publicKey, false, TOKEN_2022_PROGRAM_ID] as const;
  expect(await balance(getAssociatedTokenAddressSync(...tokens))).toBe(42n);

  const third = await leave(keypairFile);
  expect(third).toMatchObject({ code: 2, out: '' });
  expect(third.err).toMatch(/ has no vault under the program /);
});

test('an owner who has no SOL is told so; an older vault closes, and without a reserve collateral comes in kind', async () => {
  const { owner, keypairFile, vault, accounts } = await createOwner();
  await makeOlder(vault, 2);
  const address = owner.publicKey;
  const held = await balance(accounts[4] ?? '');
  const lamports = (await connection.getBalance(address)) - FEE;
  const toPubkey = Keypair.generate().publicKey;
  const transfer = SystemProgram.transfer({ fromPubkey: address, toPubkey, lamports });
  const latest = await connection.getLatestBlockhash();
  const emptied = new Transaction({ feePayer: address, ...latest }).add(transfer);
  emptied.sign(owner);
  await confirm(connection, await connection.sendRawTransaction(emptied.serialize()));
  const poor = await leave(keypairFile);
  expect(poor).toMatchObject({ code: 2 });
  expect(poor.err).toMatch(/ has 0 SOL, which is too little /);

  await openFaucet().sol(address, LAMPORTS_PER_SOL / 100);
  chain.setAccount(SANDBOX_RESERVE.reserve, 1, [], SystemProgram.programId.toBase58());
  const looked = await leave(keypairFile, '--dry-run');
  expect(looked.out).toMatch(/^stays: \d+ units of collateral, without a reserve that redeems/m);
  const left = await leave(keypairFile, '--collateral-in-kind');
  expect(left).toMatchObject({ code: 0, err: '' });
  expect(left.out).toMatch(/, layout 1$/m);
  expect(left.out).toMatch(/^2\. Migrate the vault .*: done/m);
  expect(await exists(accounts)).toEqual([]);
  const own = addresses.ata(address.toBase58(), SANDBOX_RESERVE.collateralMint);
  expect(await balance(own)).toBe(held);
  expect(await balance(addresses.usdcAta(address.toBase58()))).toBe(5n * USDC);
});

test('a file that is no key is refused without showing it', async () => {
  const file = join(dir, 'no-key.json');
  writeFileSync(file, JSON.stringify([7, 7, 7]));
  const refused = await leave(file);
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toBe(
    `${file} is no key file: it must be a JSON list of the 64 bytes of a key.`,
  );
});
