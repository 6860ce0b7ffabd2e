import { AgentWalletError, type OwnerTransaction } from '@agent-wallet/sdk/owner';
import { expect, it } from 'vitest';
import { createTransactionRun, type Stage } from './transaction-run.ts';

const SIGNED = Uint8Array.of(1, 2, 3);
const pending = new AgentWalletError({
  code: 'PENDING',
  error: 'unknown',
  details: { tx_signature: 'sig' },
});

const missing = () => Promise.reject(new Error('not in the script'));

/** A transaction whose calls do this; a call without a script fails the test. */
function transactionOf(
  script: Partial<Pick<OwnerTransaction, 'sign' | 'send'>>,
  paused = true,
): OwnerTransaction {
  return {
    bytes: Uint8Array.of(),
    instructions: [{ name: 'set_paused', args: { paused, deadline: 9n } }],
    sign: missing,
    send: missing,
    sendAndConfirm: missing,
    ...script,
  };
}

/** A run of these transactions, in turn; the last one stays. */
function runOf(...transactions: readonly OwnerTransaction[]) {
  const stages: Stage[] = [];
  let prepared = 0;
  const clock = { nowMs: 0 };
  const run = createTransactionRun({
    prepare: async () => {
      const next = transactions[prepared] ?? transactions.at(-1);
      prepared += 1;
      if (next === undefined) throw new Error('nothing to prepare');
      return next;
    },
    onStage: (stage) => stages.push(stage),
    nowMs: () => clock.nowMs,
  });
  return {
    run,
    clock,
    kinds: () => stages.map(({ kind }) => kind),
    last: () => stages.at(-1),
    prepared: () => prepared,
  };
}

const good = {
  sign: async () => SIGNED,
  send: async () => ({ tx_signature: 'sig' }),
};

it('goes from the preparation over the signature to the confirmation', async () => {
  const { run, kinds, last } = runOf(transactionOf(good));
  await run.prepare();
  await run.sign();
  expect(kinds()).toEqual(['preparing', 'shown', 'signing', 'sending', 'confirmed']);
  expect(last()).toMatchObject({ signature: 'sig' });
});

it('asks for the signature again after the owner declined', async () => {
  let asked = 0;
  const sign = async () => {
    asked += 1;
    if (asked === 1) throw new Error('User rejected the request.');
    return SIGNED;
  };
  const { run, last, prepared } = runOf(transactionOf({ ...good, sign }));
  await run.prepare();
  await run.sign();
  expect(last()).toMatchObject({ kind: 'failed', failure: { next: 'sign' } });
  await run.sign();
  expect(last()).toMatchObject({ kind: 'confirmed' });
  expect(prepared()).toBe(1);
});

it('sends the same bytes again while the outcome is unknown, and never asks for another signature', async () => {
  const sent: Uint8Array[] = [];
  const send = async (bytes: Uint8Array) => {
    sent.push(bytes);
    if (sent.length < 3) throw sent.length === 1 ? pending : new TypeError('Failed to fetch');
    return { tx_signature: 'sig' };
  };
  const { run, last } = runOf(transactionOf({ ...good, send }));
  await run.prepare();
  await run.sign();
  expect(last()).toMatchObject({ kind: 'failed', failure: { next: 'look' }, signature: 'sig' });
  await run.look();
  expect(last()).toMatchObject({ kind: 'failed', failure: { next: 'look' } });
  await run.look();
  expect(last()).toMatchObject({ kind: 'confirmed' });
  expect(sent).toEqual([SIGNED, SIGNED, SIGNED]);
});

it('takes a newer transaction of the same meaning when the owner has taken a while', async () => {
  const { run, clock, last, prepared } = runOf(transactionOf({}), transactionOf(good));
  await run.prepare();
  clock.nowMs = 60_000;
  await run.sign();
  expect(last()).toMatchObject({ kind: 'confirmed' });
  expect(prepared()).toBe(2);
});

it('shows a newer transaction instead of having it signed when it says something else', async () => {
  const { run, clock, last } = runOf(transactionOf({}), transactionOf(good, false));
  await run.prepare();
  clock.nowMs = 60_000;
  await run.sign();
  expect(last()).toMatchObject({
    kind: 'shown',
    words: { sentences: [expect.stringMatching(/^Resume/)] },
  });
});

it('has nothing signed that it cannot describe', async () => {
  const unknown = { ...transactionOf({}), instructions: [{ name: 'close_everything', args: {} }] };
  const { run, last, kinds } = runOf(unknown);
  await run.prepare();
  await run.sign();
  await run.look();
  expect(last()).toMatchObject({ kind: 'failed', words: null });
  expect(kinds()).toEqual(['preparing', 'failed']);
});

it('sends nothing and reports nothing after it was left', async () => {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const { run, kinds } = runOf(transactionOf({ sign: () => promise }));
  await run.prepare();
  const signing = run.sign();
  run.leave();
  resolve(SIGNED);
  await signing;
  expect(kinds()).toEqual(['preparing', 'shown', 'signing']);
});
