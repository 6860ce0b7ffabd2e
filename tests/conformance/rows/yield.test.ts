import { decodeReserve, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { beforeAll, expect } from 'vitest';
import type { HttpAnswer, HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { eventsOf, historyOf, readAccount, readData, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  bearer,
  call,
  callOther,
  newOwner,
  newRecipient,
  ownerSends,
  readPosition,
  transfer,
  world,
} from '../world.ts';

const ALL_BITS = 7;

type Depositor = { readonly owner: HttpOwner; readonly session: HttpSession };

let main: Depositor;
let recipient: string;
beforeAll(async () => {
  recipient = await newRecipient();
  main = await openDepositor(10_000_000n, 8_000);
});

/** A vault made ready for yield, and a session that may do everything. */
async function openDepositor(usdc: bigint, fraction: number): Promise<Depositor> {
  const owner = await newOwner(usdc);
  const path = '/v1/wallet/max-deployed-fraction';
  await act(owner, path, { max_deployed_fraction_bp: fraction });
  const session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 10_000_000n,
    allowedInstructions: ALL_BITS,
  });
  return { owner, session };
}

/** Asks for a transaction, signs it, sends it. */
async function act(owner: HttpOwner, path: string, body: object): Promise<string> {
  const answer = await asOwner(owner, 'POST', path, body);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return ownerSends(owner.keypair, String(answer.body['txBase64']));
}

const deposit = ({ apiKey }: HttpSession, amount: unknown): Promise<HttpAnswer> =>
  call('POST', '/v1/yield/deposit', { headers: bearer(apiKey), body: { amount } });

const withdraw = ({ apiKey }: HttpSession, amount: unknown): Promise<HttpAnswer> =>
  call('POST', '/v1/yield/withdraw', { headers: bearer(apiKey), body: { amount } });

/** Liquid and deployed base units. */
async function positionOf({ session }: Depositor): Promise<readonly [bigint, bigint]> {
  const { body } = await readPosition(session.apiKey);
  return [BigInt(String(body['liquid'])), BigInt(String(body['deployed']))];
}

/** What borrowers do to the one reserve. */
async function market(body: object): Promise<void> {
  const response = await fetch(new URL('/reserve', world.urls.faucet), {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

async function readAvailable(): Promise<bigint> {
  const account = await readData(SANDBOX_RESERVE.reserve);
  const state = account === null ? null : decodeReserve(SANDBOX_RESERVE, account);
  if (state === null) throw new Error('the reserve is not on this chain');
  return state.available;
}

row('endpoints.yield-deposit', async () => {
  const { status, body } = await deposit(main.session, 1_000_000);
  expect(status).toBe(200);
  expect(await readTransaction(String(body['tx_signature']))).toMatchObject({ succeeded: true });
});

row('open.yield.deposit-answer', async () => {
  const { body } = await deposit(main.session, 100_000);
  const [, deployed] = await positionOf(main);
  expect(body).toMatchObject({ status: 'confirmed', deployed: deployed.toString() });
  expect(body['tx_signature']).toMatch(/^\w{64,88}$/);
});

row('events.yield_deposit', async () => {
  const { body } = await deposit(main.session, 50_000);
  expect((await readTransaction(String(body['tx_signature']))).events).toMatchObject([
    {
      name: 'YieldDeposited',
      data: {
        vault: main.owner.vault,
        session: main.session.sessionPda,
        spend_id: String(body['spend_id']).replaceAll('-', ''),
        amount: 50_000n,
        deployed_amount: BigInt(String(body['deployed'])),
      },
    },
  ]);
});

row('states.yield.deposit', async () => {
  const [liquid, deployed] = await positionOf(main);
  await deposit(main.session, 200_000);
  expect(await positionOf(main)).toEqual([liquid - 200_000n, deployed + 200_000n]);
});

row('vault.deployed_amount', async () => {
  const [, deployed] = await positionOf(main);
  expect(deployed).toBeGreaterThan(0n);
  const { body } = await asOwner(main.owner, 'GET', '/v1/wallet');
  expect(body['deployed_amount']).toBe(Number(deployed));
  expect(await readAccount('Vault', main.owner.vault)).toMatchObject({ deployed_amount: deployed });
});

row('position.deployed', async () => {
  const { body } = await readPosition(main.session.apiKey);
  const vault = await readAccount('Vault', main.owner.vault);
  expect(body['deployed']).toBe(String(vault?.['deployed_amount']));
});

row('position.total_balance', async () => {
  const { body } = await readPosition(main.session.apiKey);
  const [liquid, deployed] = await positionOf(main);
  expect(body['total_balance']).toBe((liquid + deployed).toString());
});

row('errors.402.insufficient-liquid.deployed', async () => {
  const [, deployed] = await positionOf(main);
  expect(await deposit(main.session, 90_000_000)).toMatchObject({
    status: 402,
    body: { error: 'INSUFFICIENT_LIQUID', deployed: Number(deployed), amount: 90_000_000 },
  });
});

row('endpoints.yield-withdraw', async () => {
  const { status, body } = await withdraw(main.session, 10_000);
  expect([status, await readTransaction(String(body['tx_signature']))]).toMatchObject([
    200,
    { succeeded: true },
  ]);
});

row('events.yield_withdraw', async () => {
  const { body } = await withdraw(main.session, 20_000);
  expect((await readTransaction(String(body['tx_signature']))).events).toMatchObject([
    {
      name: 'YieldWithdrawn',
      data: {
        vault: main.owner.vault,
        session: main.session.sessionPda,
        spend_id: String(body['spend_id']).replaceAll('-', ''),
        amount: 20_000n,
      },
    },
  ]);
});

row('states.yield.withdraw', async () => {
  const [liquid, deployed] = await positionOf(main);
  const { body } = await withdraw(main.session, 30_000);
  const { events } = await readTransaction(String(body['tx_signature']));
  const cameBack = BigInt(String(events[0]?.data['liquidity_delta']));
  expect(await positionOf(main)).toEqual([liquid + cameBack, deployed - cameBack]);
});

row('session.bits.yield', async () => {
  const { owner } = main;
  const [depositing, withdrawing] = [
    await owner.createSession({ recipients: [], allowedInstructions: 2 }),
    await owner.createSession({ recipients: [], allowedInstructions: 4 }),
  ];
  expect((await deposit(depositing, 1_000)).status).toBe(200);
  expect((await withdraw(depositing, 500)).body['code']).toBe('InstructionNotAllowed');
  expect((await withdraw(withdrawing, 500)).status).toBe(200);
  expect((await deposit(withdrawing, 500)).body['code']).toBe('InstructionNotAllowed');
});

row('rules.4.bitmap', async () => {
  const one = await main.owner.createSession({ recipients: [], allowedInstructions: 1 });
  const answers = [await deposit(one, 1_000), await withdraw(one, 1_000)];
  expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
    [402, 'InstructionNotAllowed'],
    [402, 'InstructionNotAllowed'],
  ]);
});

row('rules.4.fraction', async () => {
  const half = await openDepositor(100_000n, 5_000);
  expect((await deposit(half.session, 30_000)).status).toBe(200);
  // 30 000 are deployed of 100 000: 20 000 more are half of it.
  expect(await deposit(half.session, 20_001)).toMatchObject({
    status: 402,
    body: { code: 'DeployedFractionExceeded' },
  });
  expect((await deposit(half.session, 20_000)).status).toBe(200);
});

row('limits.fraction', async () => {
  const tenth = await openDepositor(100_000n, 1_000);
  expect((await deposit(tenth.session, 10_001)).status).toBe(402);
  expect((await deposit(tenth.session, 10_000)).status).toBe(200);
});

row('errors.402.fraction', async () => {
  const none = await openDepositor(100_000n, 0);
  expect(await deposit(none.session, 1)).toMatchObject({
    status: 402,
    body: { error: 'on-chain submission failed', layer: 'on-chain' },
  });
});

row('limits.withdraw', async () => {
  const some = await openDepositor(100_000n, 8_000);
  await deposit(some.session, 40_000);
  const [, deployed] = await positionOf(some);
  expect((await withdraw(some.session, Number(deployed) + 1)).status).toBe(402);
  expect((await withdraw(some.session, Number(deployed))).status).toBe(200);
  expect((await positionOf(some))[1]).toBe(0n);
});

row('rules.4.deployed', async () => {
  const before = await positionOf(main);
  expect((await withdraw(main.session, Number(before[1]) + 1)).status).toBe(402);
  expect(await positionOf(main)).toEqual(before);
});

row('open.withdraw-exceeds', async () => {
  const [, deployed] = await positionOf(main);
  expect(await withdraw(main.session, Number(deployed) + 1)).toMatchObject({
    status: 402,
    body: { error: 'on-chain submission failed', code: 'WithdrawExceedsDeployed' },
  });
});

row('open.owner.yield-deposit', async () => {
  const [, deployed] = await positionOf(main);
  const path = '/v1/wallet/yield/deposit';
  const { status, body } = await asOwner(main.owner, 'POST', path, { amount: 7_000 });
  expect([status, Object.keys(body)]).toEqual([200, ['txBase64']]);
  await ownerSends(main.owner.keypair, String(body['txBase64']));
  expect((await positionOf(main))[1]).toBe(deployed + 7_000n);
});

row('open.owner.yield-withdraw', async () => {
  const other = await openDepositor(100_000n, 8_000);
  await deposit(other.session, 50_000);
  await act(other.owner, '/v1/wallet/yield/withdraw', { amount: 'all' });
  expect((await positionOf(other))[1]).toBe(0n);
});

row('rules.4.owner-too', async () => {
  const other = await openDepositor(100_000n, 8_000);
  await act(other.owner, '/v1/wallet/yield/deposit', { amount: 60_000 });
  expect(await positionOf(other)).toEqual([40_000n, 60_000n]);
  await act(other.owner, '/v1/wallet/yield/withdraw', { amount: 10_000 });
  const [liquid, deployed] = await positionOf(other);
  expect([liquid >= 49_999n, deployed <= 50_001n]).toEqual([true, true]);
});

const depositWherePlain = (path = 'deposit') =>
  callOther('api-plain', 'POST', `/v1/yield/${path}`, {
    headers: bearer(main.session.apiKey),
    body: { amount: 1_000 },
  });

row('rules.4.switched-off', async () => {
  for (const path of ['deposit', 'withdraw']) {
    expect(await depositWherePlain(path)).toMatchObject({
      status: 503,
      body: { error: 'YIELD_DISABLED' },
    });
  }
});

row('errors.503.yield-disabled', async () => {
  expect(await depositWherePlain()).toMatchObject({
    status: 503,
    body: { error: 'YIELD_DISABLED', detail: expect.stringMatching(/./), retryable: false },
  });
  const headers = bearer(main.session.apiKey);
  expect((await callOther('api-plain', 'GET', '/v1/yield/position', { headers })).status).toBe(200);
});

row('service.yield.switched-off', async () => {
  const [liquid, deployed] = await positionOf(main);
  expect((await depositWherePlain()).status).toBe(503);
  expect(await positionOf(main)).toEqual([liquid, deployed]);
});

row('open.yield-disabled', async () => {
  const before = await auditOf(main.owner);
  await depositWherePlain();
  expect(await auditOf(main.owner)).toEqual(before);
});

row('service.yield.no-withdraw-before-spend', async () => {
  const other = await openDepositor(100_000n, 8_000);
  await deposit(other.session, 70_000);
  const before = await positionOf(other);
  expect(await transfer(other.session.apiKey, { recipient, amount: 40_000 })).toMatchObject({
    status: 402,
    body: { error: 'INSUFFICIENT_LIQUID' },
  });
  expect(await positionOf(other)).toEqual(before);
});

row('rules.7.withdraw-first', async () => {
  const other = await openDepositor(100_000n, 8_000);
  await deposit(other.session, 70_000);
  const spend = async () =>
    (await transfer(other.session.apiKey, { recipient, amount: 40_000 })).status;
  expect(await spend()).toBe(402);
  expect((await withdraw(other.session, 20_000)).status).toBe(200);
  expect(await spend()).toBe(200);
});

row('service.yield.manual', async () => {
  const other = await openDepositor(100_000n, 8_000);
  await deposit(other.session, 10_000);
  await transfer(other.session.apiKey, { recipient, amount: 1_000 });
  const names = (await historyOf(other.owner.vault)).flatMap(({ events }) =>
    events.map(({ name }) => name),
  );
  expect(names.filter((name) => name.startsWith('Yield'))).toEqual([
    'YieldInitialized',
    'YieldDeposited',
  ]);
  expect((await positionOf(other))[1]).toBe(10_000n);
});

row('service.yield.one-reserve', async () => {
  const other = await openDepositor(100_000n, 8_000);
  const asked = { amount: 1_000, reserve: world.usdcMint };
  const { status } = await call('POST', '/v1/yield/deposit', {
    headers: bearer(other.session.apiKey),
    body: asked,
  });
  expect([200, 400]).toContain(status);
  for (const { vault } of [main.owner, other.owner]) {
    expect(await eventsOf(vault, 'YieldInitialized')).toMatchObject([
      { data: { reserve: SANDBOX_RESERVE.reserve } },
    ]);
  }
});

row('errors.409.partial-liquidity', () =>
  withoutLiquidity(1_000n, async (other) => {
    const answer = await withdraw(other.session, 20_000);
    expect(answer).toMatchObject({ status: 409, body: { error: 'PARTIAL_LIQUIDITY' } });
    expect(Number(answer.body['available'])).toBeLessThanOrEqual(1_000);
    expect(Number(answer.body['available'])).toBeGreaterThan(900);
  }),
);

row('rules.5.partial-liquidity', () =>
  withoutLiquidity(1_000n, async (other) => {
    const before = await positionOf(other);
    expect((await withdraw(other.session, 20_000)).status).toBe(409);
    expect(await positionOf(other)).toEqual(before);
  }),
);

row('rules.5.smaller-amount', () =>
  withoutLiquidity(5_000n, async (other) => {
    const { body } = await withdraw(other.session, 20_000);
    expect((await withdraw(other.session, body['available'])).status).toBe(200);
  }),
);

row('open.partial-liquidity', () =>
  withoutLiquidity(1_000n, async (other) => {
    const before = (await historyOf(other.owner.vault)).length;
    await withdraw(other.session, 20_001);
    expect(await auditOf(other.owner, 'limit=1')).toMatchObject([
      { decision: 'deny', reason: 'PARTIAL_LIQUIDITY', action: 'yield_withdraw', amount: '20001' },
    ]);
    expect(await historyOf(other.owner.vault)).toHaveLength(before);
  }),
);

/** A depositor of 30 000 in a reserve of which all but `left` is lent out meanwhile. */
async function withoutLiquidity(
  left: bigint,
  check: (other: Depositor) => Promise<void>,
): Promise<void> {
  const other = await openDepositor(100_000n, 8_000);
  await deposit(other.session, 30_000);
  await market({ lend_out: Number((await readAvailable()) - left) });
  try {
    await check(other);
  } finally {
    await market({ repay: true });
  }
}

/** A depositor whose deposit has earned something. */
async function earn(): Promise<Depositor> {
  const other = await openDepositor(1_000_000n, 8_000);
  await deposit(other.session, 500_000);
  await market({ lend_out: Number((await readAvailable()) / 2n) });
  await market({ accrue: 1_000 });
  await market({ repay: true });
  return other;
}

row('open.accrued', async () => {
  const other = await earn();
  const { body } = await readPosition(other.session.apiKey);
  expect(body['accrued']).toMatch(/^\d+$/);
  expect(Number(body['accrued'])).toBeGreaterThan(10_000);
});

row('service.yield.accrued-is-the-owners', async () => {
  const other = await earn();
  const accrued = BigInt(String((await readPosition(other.session.apiKey)).body['accrued']));
  await act(other.owner, '/v1/wallet/yield/withdraw', { amount: 'all' });
  const [liquid, deployed] = await positionOf(other);
  expect(deployed).toBe(0n);
  expect(liquid).toBeGreaterThanOrEqual(1_000_000n + accrued - 1n);
});

const ENDPOINTS = [
  ['POST', '/v1/auth/siws/nonce'],
  ['POST', '/v1/auth/siws'],
  ['POST', '/v1/wallet'],
  ['GET', '/v1/wallet'],
  ['POST', '/v1/session'],
  ['POST', '/v1/session/x/rotate-key'],
  ['GET', '/v1/audit'],
  ['GET', '/v1/fund/deposit-address'],
  ['GET', '/v1/yield/position'],
  ['POST', '/v1/spend/transfer'],
  ['POST', '/v1/spend/sign-payment'],
  ['POST', '/v1/spend/service'],
  ['POST', '/v1/yield/deposit'],
  ['POST', '/v1/yield/withdraw'],
] as const;

row('service.all-over-http', async () => {
  for (const [method, path] of ENDPOINTS) {
    const { body } = await call(method, path, method === 'POST' ? { body: {} } : {});
    expect([path, body['error']]).not.toEqual([path, 'route not found']);
  }
});

row('service.capabilities', async () => {
  const capabilities = ENDPOINTS.filter(([, path]) => /spend|yield/.test(path));
  for (const [method, path] of capabilities) {
    const options = method === 'POST' ? { body: {} } : {};
    const headers = bearer(main.session.apiKey);
    const { status } = await call(method, path, { ...options, headers });
    // Known, and opened by the agent's key: 200, or 400 for the empty body.
    expect([path, status]).toEqual([path, method === 'POST' ? 400 : 200]);
  }
});
