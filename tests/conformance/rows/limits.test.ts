import { expect } from 'vitest';
import { readMintDecimals, readOwner, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  chain,
  newAddress,
  newRecipient,
  newSpender,
  refused,
  refusedOnChain,
  world,
} from '../world.ts';

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';

const { owner, agent, recipient } = await newSpender(3_000_000n, { maxPerTx: 1_000n });
const newestReason = async ({ sessionId }: { readonly sessionId: string }) =>
  (await owner.audit(`session_id=${sessionId}&decision=deny&limit=1`))[0]?.['reason'];

row('errors.400.field-first', async () => {
  for (const [field, body] of [
    ['recipient', { recipient: 'nobody' }],
    ['recipient', { recipient: undefined }],
    ['amount', { amount: undefined }],
    ['amount', { amount: 'much' }],
  ] as const) {
    expect(await agent.pay(1, body)).toMatchObject(refused(400, new RegExp(`^${field} `)));
  }
});

row('errors.400.amount', async () => {
  for (const amount of [0, -1, 1.5, '0', '-1', '1.5', null]) {
    const answer = await agent.pay(amount);
    expect(answer).toMatchObject(refused(400, /^amount must be a positive number in base units/));
  }
});

row(
  [
    'errors.402.insufficient-liquid',
    'deny.INSUFFICIENT_LIQUID',
    'limits.json-numbers',
    'rules.6.4-liquidity',
  ],
  async () => {
    const small = await newSpender(1_000n);
    const answer = await small.agent.pay(1_001);
    expect(answer).toMatchObject(
      refused(402, 'INSUFFICIENT_LIQUID', {
        layer: 'off-chain',
        liquid: 1_000,
        amount: 1_001,
        deficit: 1,
      }),
    );
    const [logged] = await small.owner.audit('decision=deny&limit=1');
    expect(logged).toMatchObject({ decision: 'deny', reason: 'INSUFFICIENT_LIQUID' });
    const amount = '9007199254740993';
    const deficit = String(BigInt(amount) - 1_000n);
    const large = await small.agent.pay('9007199254742993');
    expect((await small.agent.pay(amount)).body).toMatchObject({
      error: 'INSUFFICIENT_LIQUID',
      amount,
      deficit: Number(deficit),
    });
    expect(large.body).toMatchObject({ deficit: '9007199254741993' });
    const inexact = await small.agent.pay(2 ** 53);
    expect(inexact).toMatchObject(refused(400, /^amount must be .*string/));
    expect((await small.agent.pay(1_000)).status).toBe(200);
    expect((await small.agent.position()).body['liquid']).toBe('0');
  },
);

row(
  [
    'deny.program-errors',
    'errors.402.on-chain',
    'errors.detail.AccountNotInitialized',
    'errors.detail.AmountExceedsMaxPerTx',
    'errors.detail.InstructionNotAllowed',
    'errors.detail.RecipientNotAllowed',
    'limits.max_per_tx',
    'rules.1.recipient-listed',
    'rules.1.token-account-exists',
    'rules.6.6-on-chain',
    'session.bit.transfer',
  ],
  async () => {
    const poor = newAddress();
    const listed = [recipient, poor];
    const one = await owner.openAgent(listed, { maxPerTx: 1_000n });
    const without = await owner.openAgent(listed, { allowedInstructions: 6 });
    for (const [who, amount, to, code, number] of [
      [one, 1, newAddress(), 'RecipientNotAllowed', '0x1770'],
      [one, 1, await newRecipient(), 'RecipientNotAllowed', '0x1770'],
      [one, 1_001, recipient, 'AmountExceedsMaxPerTx', 'custom program error: 0x1771'],
      [one, 1, poor, 'AccountNotInitialized', '0xbc4'],
      [without, 1, recipient, 'InstructionNotAllowed', '0x'],
    ] as const) {
      const answer = await who.pay(amount, { recipient: to });
      expect(answer).toMatchObject(refusedOnChain(code));
      expect(answer.body['detail']).toContain(number);
      expect(await newestReason(who)).toBe(code);
    }
    expect(await readOwner(chain.usdcAccountOf(poor))).toBeNull();
    expect((await one.pay(1_000)).status).toBe(200);
  },
);

row(['errors.detail.DailyCapExceeded', 'limits.daily_cap', 'open.resets_at'], async () => {
  const one = await owner.openAgent(recipient, { dailyCap: 1_000n });
  expect((await one.pay(999)).status).toBe(200);
  const refusal = await one.pay(2);
  expect(refusal).toMatchObject(refusedOnChain('DailyCapExceeded'));
  const inSeconds = Number(refusal.body['resets_at']) - Date.now() / 1_000;
  expect(inSeconds).toBeGreaterThan(23.9 * 3_600);
  expect(inSeconds).toBeLessThanOrEqual(25 * 3_600);
  expect((await one.pay(1)).status).toBe(200);
  expect(await one.pay(1)).toMatchObject(refusedOnChain('DailyCapExceeded'));
  expect(await newestReason(one)).toBe('DailyCapExceeded');
  const never = await one.pay(1_001);
  expect(never).toMatchObject(refusedOnChain('DailyCapExceeded', { resets_at: null }));
});

row('open.session.no-recipients', async () => {
  const one = await owner.openAgent([]);
  expect(await one.pay(1, { recipient })).toMatchObject(refusedOnChain('RecipientNotAllowed'));
});

row(
  ['endpoints.transfer', 'rules.6.5-signs', 'service.backend.co-signs', 'limits.amount-unit'],
  async () => {
    expect(await readMintDecimals(world.usdcMint)).toBe(6);
    const account = chain.usdcAccountOf(recipient);
    const [before = 0n] = await chain.balances([account]);
    const { status, body } = await agent.pay(41);
    expect([status, body['status']]).toEqual([200, 'confirmed']);
    const { programs, signers, events } = await readTransaction(String(body['tx_signature']));
    expect(programs.filter((program) => program !== COMPUTE_BUDGET)).toEqual([world.programId]);
    expect(signers).toContain((await owner.readSession(agent.sessionId))['session_pubkey']);
    expect(signers).not.toContain(owner.keypair.publicKey.toBase58());
    expect(events).toMatchObject([{ name: 'UsdcTransferred', data: { recipient, amount: 41n } }]);
    expect(await chain.balances([account])).toEqual([before + 41n]);
  },
);

row('service.agent.no-authority', async () => {
  const answers = await Promise.all([agent.pay(11), agent.position()]);
  // No answer to an agent has a key, or a transaction to sign.
  expect(answers.map(({ body }) => Object.keys(body).toSorted())).toEqual([
    ['spend_id', 'status', 'tx_signature'],
    ['accrued', 'deployed', 'liquid', 'total_balance'],
  ]);
  const { signers } = await readTransaction(String(answers[0].body['tx_signature']));
  expect(signers).toHaveLength(2);
  expect(signers).not.toContain(agent.apiKey);
});

row('service.layers.no-partial', async () => {
  const accounts = [owner.vaultUsdcAta, chain.usdcAccountOf(recipient)];
  const read = async () => [
    await chain.balances(accounts),
    (await owner.readSession(agent.sessionId))['daily_spent'],
  ];
  const before = await read();
  expect(await agent.pay(1_001)).toMatchObject({ status: 402, body: { layer: 'on-chain' } });
  expect(await read()).toEqual(before);
});

row('open.not-a-challenge', async () => {
  for (const answer of [await agent.pay(900_000_000), await agent.pay(1_001)]) {
    const { status, body, headers } = answer;
    expect(status).toBe(402);
    expect(Object.keys(body)).not.toContain('x402Version');
    expect(Object.keys(body)).not.toContain('accepts');
    expect(headers.get('payment-required')).toBeNull();
    expect(headers.get('www-authenticate')).toBeNull();
  }
});
