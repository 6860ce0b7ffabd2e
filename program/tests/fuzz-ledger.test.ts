import { expect, it } from 'vitest';
import { flagsOf } from '../fuzz/chain/wire.ts';
import { callOf } from '../fuzz/draw/call.ts';
import { createMemory } from '../fuzz/draw/memory.ts';
import { createRandom } from '../fuzz/draw/random.ts';
import { withArgs } from '../fuzz/draw/values.ts';
import { createLedger } from '../fuzz/ledger/ledger.ts';
import type { Args } from '../fuzz/step.ts';
import { createUniverse } from '../fuzz/world/universe.ts';
import { createModel, drawWorld } from '../fuzz/world/world.ts';

const NOW = 1_000n;
const universe = createUniverse('ledger');
const random = createRandom('ledger');
const settings = { ...drawWorld(random), firstLayout: null };
const model = createModel(settings, universe);

type Passed = readonly [name: string, args?: Partial<Args>];

/** The broken promises of the last call of the chosen wallet, when all of them passed. */
function problemsOf(calls: readonly Passed[]): readonly string[] {
  const ledger = createLedger(universe, settings);
  const [wallet] = universe.wallets;
  const [key] = universe.sessionKeys;
  if (wallet === undefined || key === undefined) throw new Error('the universe is empty');
  const sessionId = universe.sessionOf(wallet.vault, key)?.id ?? 0;
  const choice = { wallet, vault: undefined, key, sessionId, session: undefined };
  const hand = { random, universe, settings, model, memory: createMemory() };
  const recipient = wallet.owner;
  const tokens = { recipient_token_account: recipient, owner_token_account: recipient };
  const of = { recipient, ...tokens, token_account: recipient, mint: universe.fixed.usdc };
  const limits = { max_per_tx: 10n, daily_cap: 10n, expiry: NOW, allowed_instructions: 7 };
  const defaults = { ...limits, session_pubkey: key, recipients: [recipient], deadline: NOW };
  let problems: readonly string[] = [];
  for (const [name, args = {}] of calls) {
    const call = callOf(hand, choice, name, withArgs({ ...defaults, ...args }), of);
    const flags = flagsOf([call], universe);
    const accounts = { before: new Map(), after: new Map() };
    problems = ledger.enter({ calls: [call], flags, now: NOW, ...accounts });
  }
  return problems;
}

const INIT: Passed = ['init_vault'];
const ADD: Passed = ['add_session', { session_index: 5n }];
const REVOKE: Passed = ['revoke_session', { session_index: 5n }];
const CLOSE: Passed = ['close_vault', { next_session_index: 6n }];
const SPEND: Passed = ['transfer_usdc', { session_index: 5n, spend_seq: 1n, amount: 3n }];

it.each<[string, readonly Passed[], Passed, Passed]>([
  [
    'add_session after its deadline',
    [INIT],
    ['add_session', { session_index: 5n, deadline: NOW - 1n }],
    ADD,
  ],
  [
    'set_paused after its deadline',
    [INIT],
    ['set_paused', { paused: false, deadline: NOW - 1n }],
    ['set_paused', { paused: true, deadline: NOW - 1n }],
  ],
  [
    'yield_deposit after its deadline',
    [INIT],
    ['yield_deposit', { deadline: NOW - 1n }],
    ['yield_deposit', { deadline: NOW }],
  ],
  [
    'sweep_token_account after its deadline',
    [INIT],
    ['sweep_token_account', { deadline: NOW - 1n }],
    ['sweep_token_account', { deadline: NOW }],
  ],
  [
    'session index 5 is not above 5',
    [INIT, ADD, REVOKE],
    ADD,
    ['add_session', { session_index: 6n }],
  ],
  [
    'session index 6 is not above 6',
    [INIT, ADD, REVOKE, CLOSE, INIT],
    ['add_session', { session_index: 6n }],
    ['add_session', { session_index: 7n }],
  ],
  [
    'close_vault names index 5, not above 5',
    [INIT, ADD, REVOKE],
    ['close_vault', { next_session_index: 5n }],
    CLOSE,
  ],
  [
    'close_vault names index 6, not above 6',
    [INIT, ADD, REVOKE, CLOSE, INIT],
    CLOSE,
    ['close_vault', { next_session_index: 7n }],
  ],
  [
    'update_session_limits was signed for another session',
    [INIT, ADD],
    ['update_session_limits', { session_index: 4n }],
    ['update_session_limits', { session_index: 5n }],
  ],
  ['a vault was closed while it had sessions', [INIT, ADD], CLOSE, REVOKE],
  ['transfer_usdc: a session of an earlier vault spends', [INIT, ADD, CLOSE, INIT], SPEND, INIT],
  [
    'transfer_usdc: sequence 1 was accepted before',
    [INIT, ADD, SPEND],
    SPEND,
    ['transfer_usdc', { session_index: 5n, spend_seq: 2n, amount: 3n }],
  ],
])('the ledger notices: %s', (promise, before, wrong, right) => {
  expect(problemsOf([...before, wrong])).toContain(promise);
  expect(problemsOf([...before, right])).not.toContain(promise);
});
