import { expect, it } from 'vitest';
import { type DraftStore, dropDraft, keepDraft, readDrafts } from './session-drafts.ts';

const NOW = 1_795_000_000;
const OWNER = 'owner';

function newStore(): DraftStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    getItem: (key) => texts.get(key) ?? null,
    setItem: (key, text) => void texts.set(key, text),
  };
}

const draft = (idempotencyKey: string, expiry = NOW + 60) => ({
  idempotencyKey,
  sessionId: null,
  request: {
    wallet_id: 'wallet',
    max_per_tx: 2n ** 64n - 1n,
    daily_cap: 5n,
    expiry,
    allowed_instructions: 1,
    allowed_recipients: ['one'],
  },
});

it('keeps what was asked for, exactly, for its owner alone', () => {
  const store = newStore();
  keepDraft(store, OWNER, draft('a'), NOW);
  expect(readDrafts(store, OWNER, NOW)).toEqual([draft('a')]);
  expect(readDrafts(store, 'another', NOW)).toEqual([]);
});

it('replaces a draft under its key, and drops it alone', () => {
  const store = newStore();
  keepDraft(store, OWNER, draft('a'), NOW);
  keepDraft(store, OWNER, draft('b'), NOW);
  keepDraft(store, OWNER, { ...draft('a'), sessionId: 'session' }, NOW);
  expect(readDrafts(store, OWNER, NOW)).toEqual([
    draft('b'),
    { ...draft('a'), sessionId: 'session' },
  ]);
  dropDraft(store, OWNER, 'b', NOW);
  expect(readDrafts(store, OWNER, NOW)).toEqual([{ ...draft('a'), sessionId: 'session' }]);
});

it('forgets a draft whose expiry has passed, and reads no other text', () => {
  const store = newStore();
  keepDraft(store, OWNER, draft('a', NOW), NOW - 1);
  expect(readDrafts(store, OWNER, NOW)).toEqual([]);
  for (const text of ['', '{', '{}', '[1]', '[{"idempotencyKey":"a"}]']) {
    store.setItem('agent-wallet:session-drafts:owner', text);
    expect(readDrafts(store, OWNER, NOW)).toEqual([]);
  }
});
