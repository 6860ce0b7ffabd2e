import { decodeReserve, SANDBOX_RESERVE } from '@agent-wallet/chain';
import { expect } from 'vitest';
import { eventsOf, historyOf, readAccount, readData, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  type Agent,
  bearer,
  callOther,
  chain,
  newOwner,
  newRecipient,
  newSpender,
  type Owner,
  refused,
  refusedOnChain,
  world,
} from '../world.ts';

type Depositor = {
  readonly owner: Owner;
  readonly agent: Agent;
  deposit(amount: unknown, body?: object): ReturnType<Agent['call']>;
  withdraw(amount: unknown): ReturnType<Agent['call']>;
  /** Liquid and deployed base units. */
  position(): Promise<readonly [bigint, bigint]>;
};

const recipient = await newRecipient();
const main = await openDepositor(10_000_000n);

/** A vault prepared for yield, and a session that may do everything. */
async function openDepositor(usdc = 100_000n, fraction = 8_000): Promise<Depositor> {
  const owner = await newOwner(usdc);
  const path = '/v1/wallet/max-deployed-fraction';
  await owner.act('POST', path, { max_deployed_fraction_bp: fraction });
  const limits = { maxPerTx: 10_000_000n, allowedInstructions: 7 };
  return depositorOf(owner, await owner.openAgent(recipient, limits));
}

function depositorOf(owner: Owner, agent: Agent): Depositor {
  return {
    owner,
    agent,
    deposit: (amount, body = {}) => agent.call('POST', '/v1/yield/deposit', { amount, ...body }),
    withdraw: (amount) => agent.call('POST', '/v1/yield/withdraw', { amount }),
    position: async () => {
      const { body } = await agent.position();
      return [BigInt(String(body['liquid'])), BigInt(String(body['deployed']))];
    },
  };
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

row(
  [
    'endpoints.yield-deposit',
    'events.yield_deposit',
    'open.yield.deposit-answer',
    'states.yield.deposit',
  ],
  async () => {
    const [liquid, before] = await main.position();
    const { status, body } = await main.deposit(1_000_000);
    const deployed = before + 1_000_000n;
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'confirmed', deployed: deployed.toString() });
    expect(body['tx_signature']).toMatch(/^\w{64,88}$/);
    expect(await main.position()).toEqual([liquid - 1_000_000n, deployed]);
    const data = {
      vault: main.owner.vault,
      session: main.agent.sessionPda,
      spend_id: String(body['spend_id']).replaceAll('-', ''),
      amount: 1_000_000n,
      deployed_amount: deployed,
    };
    expect(await readTransaction(String(body['tx_signature']))).toMatchObject({
      succeeded: true,
      events: [{ name: 'YieldDeposited', data }],
    });
  },
);

row(
  [
    'errors.402.insufficient-liquid.deployed',
    'position.deployed',
    'position.total_balance',
    'vault.deployed_amount',
  ],
  async () => {
    const [liquid, deployed] = await main.position();
    expect(deployed).toBeGreaterThan(0n);
    const { body } = await main.agent.position();
    expect(body['total_balance']).toBe((liquid + deployed).toString());
    const onChain = await readAccount('Vault', main.owner.vault);
    expect(onChain).toMatchObject({ deployed_amount: deployed });
    const wallet = (await main.owner.call('GET', '/v1/wallet')).body;
    expect(wallet['deployed_amount']).toBe(Number(deployed));
    expect(await main.deposit(90_000_000)).toMatchObject(
      refused(402, 'INSUFFICIENT_LIQUID', { deployed: Number(deployed), amount: 90_000_000 }),
    );
  },
);

row(['endpoints.yield-withdraw', 'events.yield_withdraw', 'states.yield.withdraw'], async () => {
  const [liquid, deployed] = await main.position();
  const { status, body } = await main.withdraw(30_000);
  expect(status).toBe(200);
  const { succeeded, events } = await readTransaction(String(body['tx_signature']));
  const data = {
    vault: main.owner.vault,
    session: main.agent.sessionPda,
    spend_id: String(body['spend_id']).replaceAll('-', ''),
    amount: 30_000n,
  };
  expect([succeeded, events]).toMatchObject([true, [{ name: 'YieldWithdrawn', data }]]);
  const cameBack = BigInt(String(events[0]?.data['liquidity_delta']));
  expect(await main.position()).toEqual([liquid + cameBack, deployed - cameBack]);
});

row(['rules.4.bitmap', 'session.bits.yield'], async () => {
  const notAllowed = refusedOnChain('InstructionNotAllowed');
  for (const [allowedInstructions, mayDeposit, mayWithdraw] of [
    [1, false, false],
    [2, true, false],
    [4, false, true],
  ] as const) {
    const agent = await main.owner.openAgent([], { allowedInstructions });
    const one = depositorOf(main.owner, agent);
    expect(await one.deposit(1_000)).toMatchObject(mayDeposit ? { status: 200 } : notAllowed);
    expect(await one.withdraw(500)).toMatchObject(mayWithdraw ? { status: 200 } : notAllowed);
  }
});

row(['errors.402.fraction', 'limits.fraction', 'rules.4.fraction'], async () => {
  const exceeded = refusedOnChain('DeployedFractionExceeded');
  // 30 000 are deployed of 100 000: 20 000 more are half of it.
  for (const [fraction, first, rest] of [
    [5_000, 30_000, 20_000],
    [1_000, null, 10_000],
    [0, null, 0],
  ] as const) {
    const one = await openDepositor(100_000n, fraction);
    if (first !== null) expect((await one.deposit(first)).status).toBe(200);
    expect(await one.deposit(rest + 1)).toMatchObject(exceeded);
    if (rest > 0) expect((await one.deposit(rest)).status).toBe(200);
  }
});

row(['limits.withdraw', 'open.withdraw-exceeds', 'rules.4.deployed'], async () => {
  const some = await openDepositor();
  await some.deposit(40_000);
  const before = await some.position();
  const deployed = Number(before[1]);
  const above = await some.withdraw(deployed + 1);
  expect(above).toMatchObject(refusedOnChain('WithdrawExceedsDeployed'));
  expect(await some.position()).toEqual(before);
  expect((await some.withdraw(deployed)).status).toBe(200);
  expect((await some.position())[1]).toBe(0n);
});

row(['open.owner.yield-deposit', 'open.owner.yield-withdraw', 'rules.4.owner-too'], async () => {
  const other = await openDepositor();
  const act = (verb: string, amount: unknown) =>
    other.owner.act('POST', `/v1/wallet/yield/${verb}`, { amount });
  await act('deposit', 60_000);
  expect(await other.position()).toEqual([40_000n, 60_000n]);
  await act('withdraw', 10_000);
  const [liquid, deployed] = await other.position();
  expect([liquid >= 49_999n, deployed <= 50_001n]).toEqual([true, true]);
  await act('withdraw', 'all');
  expect((await other.position())[1]).toBe(0n);
});

row(
  [
    'errors.503.yield-disabled',
    'open.yield-disabled',
    'position.accrued',
    'rules.4.switched-off',
    'service.yield.switched-off',
  ],
  async () => {
    const headers = bearer(main.agent.apiKey);
    // The session's part: rows of the owner's transactions arrive later.
    const audit = () => main.owner.audit(`session_id=${main.agent.sessionId}`);
    const before = [await main.position(), await audit()];
    const detail = expect.stringMatching(/./);
    for (const verb of ['deposit', 'withdraw']) {
      const options = { headers, body: { amount: 1_000 } };
      const answer = await callOther('api-plain', 'POST', `/v1/yield/${verb}`, options);
      expect(answer).toMatchObject(refused(503, 'YIELD_DISABLED', { detail, retryable: false }));
    }
    expect([await main.position(), await audit()]).toEqual(before);
    // Without yield there is no exchange rate to read.
    const position = await callOther('api-plain', 'GET', '/v1/yield/position', { headers });
    expect(position).toMatchObject({ status: 200, body: { accrued: null } });
  },
);

row(['rules.7.withdraw-first', 'service.yield.no-withdraw-before-spend'], async () => {
  const other = await openDepositor();
  await other.deposit(70_000);
  const before = await other.position();
  expect(await other.agent.pay(40_000)).toMatchObject(refused(402, 'INSUFFICIENT_LIQUID'));
  expect(await other.position()).toEqual(before);
  expect((await other.withdraw(20_000)).status).toBe(200);
  expect((await other.agent.pay(40_000)).status).toBe(200);
});

row(['service.yield.manual', 'service.yield.one-reserve'], async () => {
  const other = await openDepositor();
  expect((await other.deposit(10_000)).status).toBe(200);
  await other.agent.pay(1_000);
  expect((await other.position())[1]).toBe(10_000n);
  const names = (await historyOf(other.owner.vault)).flatMap(({ events }) =>
    events.map(({ name }) => name),
  );
  expect(names.filter((name) => name.startsWith('Yield'))).toEqual([
    'YieldInitialized',
    'YieldDeposited',
  ]);
  // A caller that names another reserve does not get it.
  expect([200, 400]).toContain((await other.deposit(1_000, { reserve: world.usdcMint })).status);
  for (const { vault } of [main.owner, other.owner]) {
    expect(await eventsOf(vault, 'YieldInitialized')).toMatchObject([
      { data: { reserve: SANDBOX_RESERVE.reserve } },
    ]);
  }
});

row(
  [
    'errors.409.partial-liquidity',
    'open.partial-liquidity',
    'rules.5.partial-liquidity',
    'rules.5.smaller-amount',
  ],
  async () => {
    const other = await openDepositor();
    await other.deposit(30_000);
    const read = async () => [await other.position(), (await historyOf(other.owner.vault)).length];
    const before = await read();
    // All but 1 000 of the reserve is lent out.
    await market({ lend_out: Number((await readAvailable()) - 1_000n) });
    try {
      const answer = await other.withdraw(20_001);
      expect(answer).toMatchObject(refused(409, 'PARTIAL_LIQUIDITY'));
      const available = Number(answer.body['available']);
      expect(available).toBeLessThanOrEqual(1_000);
      expect(available).toBeGreaterThan(900);
      expect(await read()).toEqual(before);
      expect(await other.owner.audit('decision=deny&limit=1')).toMatchObject([
        {
          decision: 'deny',
          reason: 'PARTIAL_LIQUIDITY',
          action: 'yield_withdraw',
          amount: '20001',
        },
      ]);
      expect((await other.withdraw(available)).status).toBe(200);
    } finally {
      await market({ repay: true });
    }
  },
);

row(['open.accrued', 'service.yield.accrued-is-the-owners'], async () => {
  const other = await openDepositor(1_000_000n);
  await other.deposit(500_000);
  await market({ lend_out: Number((await readAvailable()) / 2n) });
  await market({ accrue: 1_000 });
  await market({ repay: true });
  const { accrued } = (await other.agent.position()).body;
  expect(accrued).toMatch(/^\d+$/);
  expect(Number(accrued)).toBeGreaterThan(10_000);
  await other.owner.act('POST', '/v1/wallet/yield/withdraw', { amount: 'all' });
  const [liquid, deployed] = await other.position();
  expect(deployed).toBe(0n);
  expect(liquid).toBeGreaterThanOrEqual(1_000_000n + BigInt(String(accrued)) - 1n);
});

row(['position.liquid', 'position.liquid.zero'], async () => {
  const { owner, agent } = await newSpender();
  await agent.pay(1_000);
  expect((await agent.position()).body['liquid']).toBe('2999000');
  expect(await chain.balances([owner.vaultUsdcAta])).toEqual([2_999_000n]);
  const empty = await newSpender(0n);
  expect((await empty.agent.position()).body['liquid']).toBe('0');
});

row(['position.liquid.null', 'position.total_balance.unread'], async () => {
  const headers = bearer(main.agent.apiKey);
  const { status, body } = await callOther('api-cut', 'GET', '/v1/yield/position', { headers });
  expect([status, body['liquid']]).toEqual([200, null]);
  expect(body['total_balance']).toBe(body['deployed']);
});
