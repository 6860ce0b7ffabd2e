import { randomUUID } from 'node:crypto';
import { listAudit, verifyAudit } from '@agent-wallet/audit';
import {
  createOwnerTransactions,
  decodeReserve,
  EVERYTHING,
  type ReserveState,
  SANDBOX_RESERVE,
  tokenAmountOf,
  valueOfCollateral,
} from '@agent-wallet/chain';
import { createAgentWallet } from '@agent-wallet/sdk';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  callApi,
  createHttpOwner,
  type HttpAnswer,
  type HttpOwner,
  type HttpSession,
} from '../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const USDC = 1_000_000n;
const EVERY_INSTRUCTION = 7;

const system = useSystem();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
});
afterAll(() => fixture[Symbol.asyncDispose]());

type Saver = { readonly owner: HttpOwner; readonly session: HttpSession };

/** An owner with 10 USDC, of which 80 % may be deployed, and a session that may do everything. */
async function openSaver(): Promise<Saver> {
  const settings = { max_deployed_fraction_bp: 8_000 };
  const owner = await createHttpOwner(system(), fixture, 10n * USDC, settings);
  return { owner, session: await openSession(owner) };
}

async function openSession(owner: HttpOwner): Promise<HttpSession> {
  const recipients = [await fixture.createRecipient()];
  const session = await owner.createSession({
    recipients,
    allowedInstructions: EVERY_INSTRUCTION,
  });
  await waitUntil('the session is live', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from session where session_id = ${session.sessionId}::uuid and status = 'live'
    `),
  );
  return session;
}

const move = (
  { apiKey }: HttpSession,
  verb: 'deposit' | 'withdraw',
  amount: bigint,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  callApi(system(), 'POST', `/v1/yield/${verb}`, {
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body: { amount: amount.toString() },
  });

const position = ({ apiKey }: HttpSession) =>
  createAgentWallet({ url: system().urls.api, apiKey }).position();

async function readReserve(): Promise<ReserveState> {
  const { reserve } = SANDBOX_RESERVE;
  const { accounts } = await fixture.rpc.accounts([reserve], { commitment: 'confirmed' });
  const state = accounts[0] ? decodeReserve(SANDBOX_RESERVE, accounts[0]) : null;
  if (state === null) throw new Error('there is no reserve');
  return state;
}

/** What yield has earned over the life of the wallet, once its events are recorded. */
async function earned({ owner }: Saver, deposited: bigint, withdrawn: bigint): Promise<unknown> {
  const headers = { cookie: owner.cookie };
  const ask = async () => (await callApi(system(), 'GET', '/v1/wallet/yield', { headers })).body;
  await waitUntil('the movements are recorded', async () => {
    const recorded = await ask();
    return recorded['deposited'] === `${deposited}` && recorded['withdrawn'] === `${withdrawn}`;
  });
  return (await ask())['earned'];
}

/** The precision of deposits and withdrawals, base units: they are for whole units of collateral. */
const worthOfOneUnit = async (): Promise<bigint> => valueOfCollateral(await readReserve(), 1n) + 1n;

/** What the vault holds on chain: principal as the program counts it, collateral, USDC. */
async function holdings({ owner }: Saver) {
  const { addresses } = fixture.program;
  const held = addresses.ata(addresses.yieldPda(owner.vault), SANDBOX_RESERVE.collateralMint);
  const { accounts } = await fixture.rpc.accounts([owner.vault, held, owner.vaultUsdcAta], {
    commitment: 'confirmed',
  });
  const vault = accounts[0] ? fixture.program.decodeVault(accounts[0]) : null;
  return {
    deployed: vault?.deployedAmount,
    collateral: tokenAmountOf(accounts[1] ?? null),
    liquid: tokenAmountOf(accounts[2] ?? null),
  };
}

async function decisions({ owner }: Saver) {
  const rows = await listAudit(fixture.db, { walletId: owner.walletId, limit: 50 });
  const told = rows.filter(({ sessionId }) => sessionId !== null).toReversed();
  return told.map(({ action, decision, amount, reason }) => [action, decision, amount, reason]);
}

const expectIntact = async ({ owner }: Saver): Promise<void> =>
  expect(await verifyAudit(fixture.db, owner.walletId)).toMatchObject({ kind: 'intact' });

test('a deposit earns, comes back in part, and comes home with its interest', async () => {
  const saver = await openSaver();
  const { session } = saver;
  expect(await move(session, 'deposit', 5n * USDC)).toMatchObject({
    status: 200,
    body: { status: 'confirmed', deployed: '5000000', tx_signature: expect.any(String) },
  });
  expect(await position(session)).toEqual({
    liquid: 5n * USDC,
    deployed: 5n * USDC,
    accrued: 0n,
    total_balance: 10n * USDC,
  });

  await system().reserve.lendOut(USDC);
  await system().reserve.accrue(5_000n);
  // Half a USDC, but for what falls to the unit that nobody can withdraw.
  expect(await position(session)).toMatchObject({ deployed: 5n * USDC, accrued: 499_999n });
  expect(await earned(saver, 5n * USDC, 0n)).toBe('499999');

  expect(await move(session, 'withdraw', 2n * USDC)).toMatchObject({ status: 200 });
  const between = await holdings(saver);
  expect(between.deployed).toBe(3n * USDC);
  expect(between.liquid).toBe(7n * USDC);
  expect(await earned(saver, 5n * USDC, 2n * USDC)).toBe('499999');

  await system().reserve.repay();
  expect(await move(session, 'withdraw', 3n * USDC)).toMatchObject({ status: 200 });
  expect(await holdings(saver)).toEqual({
    deployed: 0n,
    collateral: 0n,
    liquid: 10n * USDC + 499_999n,
  });
  expect(await earned(saver, 5n * USDC, 5n * USDC + 499_999n)).toBe('499999');
  expect(await decisions(saver)).toEqual([
    ['yield_deposit', 'allow', 5n * USDC, null],
    ['yield_withdraw', 'allow', 2n * USDC, null],
    ['yield_withdraw', 'allow', 3n * USDC, null],
  ]);
  await expectIntact(saver);
});

test('what the reserve has lent out cannot be withdrawn, before and after it is sent', async () => {
  const saver = await openSaver();
  const { session } = saver;
  expect(await move(session, 'deposit', 4n * USDC)).toMatchObject({ status: 200 });
  const { available } = await readReserve();
  await system().reserve.lendOut(available - USDC);
  expect(await move(session, 'withdraw', 2n * USDC)).toMatchObject({
    status: 409,
    body: { error: 'PARTIAL_LIQUIDITY', layer: 'off-chain', available: 1_000_000 },
  });
  expect(await move(session, 'withdraw', USDC)).toMatchObject({ status: 200 });
  await system().reserve.repay();

  // The reserve lends out between the look at it and the send.
  system().pause('tx-worker');
  const withdrawal = move(session, 'withdraw', 2n * USDC);
  await waitUntil('the withdrawal is accepted', () =>
    fixture.db.exists(sql.unsafe`
      select 1 from spend where session_id = ${session.sessionId}::uuid and status = 'queued'
    `),
  );
  await system().reserve.lendOut((await readReserve()).available - 5n);
  system().resume('tx-worker');
  expect(await withdrawal).toMatchObject({
    status: 409,
    body: { error: 'PARTIAL_LIQUIDITY', layer: 'on-chain', available: 5 },
  });
  expect(await holdings(saver)).toMatchObject({ deployed: 3n * USDC, liquid: 7n * USDC });
  await system().reserve.repay();
  expect(await move(session, 'withdraw', 3n * USDC)).toMatchObject({ status: 200 });
  expect((await decisions(saver)).map(([, decision, , reason]) => [decision, reason])).toEqual([
    ['allow', null],
    ['deny', 'PARTIAL_LIQUIDITY'],
    ['allow', null],
    ['deny', 'PARTIAL_LIQUIDITY'],
    ['allow', null],
  ]);
  await expectIntact(saver);
});

test('an owner who asks for all gets what the reserve can pay now, and the rest later', async () => {
  const saver = await openSaver();
  const { owner, session } = saver;
  expect(await move(session, 'deposit', 4n * USDC)).toMatchObject({ status: 200 });
  const withdrawAll = async (): Promise<void> => {
    await owner.send(await owner.client.yieldWithdraw({ amount: 'all' }));
  };
  await system().reserve.lendOut((await readReserve()).available - USDC);
  await withdrawAll();
  const { deployed = 0n, collateral, liquid } = await holdings(saver);
  expect(liquid + deployed).toBe(10n * USDC);
  // Less by one unit's value, and by what the debts could have earned until it landed.
  expect(deployed).toBeGreaterThanOrEqual(3n * USDC);
  expect(deployed).toBeLessThan(3n * USDC + USDC / 100n);
  expect(collateral).toBeGreaterThan(0n);
  await system().reserve.repay();
  await withdrawAll();
  expect(await holdings(saver)).toMatchObject({ deployed: 0n, collateral: 0n });
  await expectIntact(saver);
});

test('two sessions and transfers at once leave every unit accounted for', async () => {
  const saver = await openSaver();
  const { owner, session } = saver;
  const other = await openSession(owner);
  const recipient = await fixture.createRecipient();
  const third = await owner.createSession({ recipients: [recipient] });
  const pay = (amount: bigint): Promise<HttpAnswer> =>
    callApi(system(), 'POST', '/v1/spend/transfer', {
      headers: { authorization: `Bearer ${third.apiKey}` },
      body: { recipient, amount: amount.toString() },
    });
  await waitUntil('the third session pays', async () => (await pay(1n)).status === 200);
  expect(await move(session, 'deposit', 3n * USDC)).toMatchObject({ status: 200 });
  // A rate at which a unit of collateral is worth no whole number of base units.
  await system().reserve.lendOut(USDC);
  await system().reserve.accrue(3_333n);
  await system().reserve.repay();
  const answers = await Promise.all([
    ...[session, other].flatMap((one) => [
      move(one, 'deposit', 1_000_003n),
      move(one, 'deposit', 500_007n),
      move(one, 'withdraw', 700_001n),
    ]),
    pay(USDC),
    pay(USDC - 1n),
  ]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const { deployed = 0n, liquid } = await holdings(saver);
  expect(deployed + liquid).toBe(8n * USDC);
  // The reserve takes what its collateral costs and pays what that is worth: a unit of it more or less.
  const roundings = 6n * (await worthOfOneUnit());
  const requested = 3n * USDC + 2n * (1_000_003n + 500_007n - 700_001n);
  expect(deployed).toBeGreaterThanOrEqual(requested - roundings);
  expect(deployed).toBeLessThanOrEqual(requested + roundings);
  await expectIntact(saver);
});

test.each(['deposit', 'withdraw'] as const)(
  'a %s whose api is killed is made once, and its key gets its answer',
  async (verb) => {
    const saver = await openSaver();
    const { session } = saver;
    expect(await move(session, 'deposit', 5n * USDC)).toMatchObject({ status: 200 });
    const before = await holdings(saver);
    const key = { 'idempotency-key': randomUUID() };
    system().pause('tx-worker');
    const cutOff = move(session, verb, 2n * USDC, key).catch(() => 'cut off');
    await waitUntil(`the ${verb} is accepted`, () =>
      fixture.db.exists(sql.unsafe`
        select 1 from spend
        where session_id = ${session.sessionId}::uuid and status = 'queued'
      `),
    );
    await system().kill('api');
    expect(await cutOff).toBe('cut off');
    system().resume('tx-worker');
    await system().restart('api');
    const first = await move(session, verb, 2n * USDC, key);
    expect(first).toMatchObject({ status: 200, body: { tx_signature: expect.any(String) } });
    expect((await move(session, verb, 2n * USDC, key)).body).toEqual(first.body);
    const after = await holdings(saver);
    const back = after.liquid - before.liquid;
    expect((before.deployed ?? 0n) - (after.deployed ?? 0n)).toBe(back);
    const moved = verb === 'deposit' ? -back : back;
    expect(moved).toBeLessThanOrEqual(2n * USDC + (await worthOfOneUnit()));
    expect(moved).toBeGreaterThan(USDC);
    await expectIntact(saver);
  },
);

test('parts come back from a reserve that earns with every slot', async () => {
  const saver = await openSaver();
  const { session } = saver;
  expect(await move(session, 'deposit', 8n * USDC)).toMatchObject({ status: 200 });
  await system().reserve.lendOut(2n * USDC);
  // So much that each slot has a rate of its own.
  await system().reserve.setRate(300_000_000n);
  for (const amount of [USDC, USDC + 1n, 999_999n]) {
    const before = await holdings(saver);
    expect(await move(session, 'withdraw', amount)).toMatchObject({ status: 200 });
    const after = await holdings(saver);
    const back = after.liquid - before.liquid;
    expect((before.deployed ?? 0n) - (after.deployed ?? 0n)).toBe(back);
    expect(back).toBeLessThanOrEqual(amount + (await worthOfOneUnit()));
    // What could have been earned until the transaction expires stays: 300 slots at that rate.
    expect(back).toBeGreaterThan((amount * 8n) / 10n);
  }
  await system().reserve.setRate(1n);
  await system().reserve.repay();
  await expectIntact(saver);
});

test('with nothing but a wallet and a node the owner takes everything out', async () => {
  const saver = await openSaver();
  const { owner, session } = saver;
  expect(await move(session, 'deposit', 8n * USDC)).toMatchObject({ status: 200 });
  await system().reserve.lendOut(USDC);
  await system().reserve.accrue(10_000n);
  await system().reserve.repay();
  const accrued = (await position(session)).accrued ?? 0n;
  expect(accrued).toBeGreaterThan(0n);
  for (const name of ['api', 'tx-worker', 'confirm-worker']) await system().kill(name);

  const { program, rpc } = fixture;
  const transactions = createOwnerTransactions(program, () => rpc.latestBlockhash(), Date.now);
  const address = owner.keypair.publicKey.toBase58();
  const { collateral } = await holdings(saver);
  const everything = { amount: EVERYTHING, collateralAmount: collateral };
  await fixture.ownerSends(
    owner.keypair,
    await transactions.yieldWithdraw(address, SANDBOX_RESERVE, everything),
  );
  await fixture.ownerSends(owner.keypair, await transactions.withdraw(address, EVERYTHING, null));
  expect(await holdings(saver)).toEqual({ deployed: 0n, collateral: 0n, liquid: 0n });
  const home = await fixture.balance(program.addresses.usdcAta(address));
  expect(home).toBe(10n * USDC + accrued);
});
