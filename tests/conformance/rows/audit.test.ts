import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { row } from '../row.ts';
import { auditOf, newAddress, newOwner, newRecipient, transfer } from '../world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Item = Readonly<Record<string, unknown>>;

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
let stranger: string;
let signature: string;
let allowed: Item;
let denied: Item;
let askedBetween: readonly [number, number];
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(1_000_000n), newRecipient()]);
  stranger = newAddress();
  session = await owner.createSession({ recipients: [recipient] });
  const before = Date.now();
  const { body } = await transfer(session.apiKey, { recipient, amount: 12_345 });
  await transfer(session.apiKey, { recipient: stranger, amount: 6_789 });
  askedBetween = [before, Date.now()];
  signature = String(body['tx_signature']);
  const items = await auditOf(owner, `session_id=${session.sessionId}`);
  [denied = {}, allowed = {}] = items;
});

row('audit.id', () => {
  expect(allowed['id']).toMatch(UUID);
  expect(denied['id']).toMatch(UUID);
  expect(allowed['id']).not.toBe(denied['id']);
});

row('audit.wallet_id', () => {
  expect([allowed['wallet_id'], denied['wallet_id']]).toEqual([owner.walletId, owner.walletId]);
});

row('audit.session_id', () => {
  const { sessionId } = session;
  expect([allowed['session_id'], denied['session_id']]).toEqual([sessionId, sessionId]);
});

row('audit.action', () => {
  expect([allowed['action'], denied['action']]).toEqual(['transfer', 'transfer']);
});

row('audit.amount', () => {
  expect([allowed['amount'], denied['amount']]).toEqual(['12345', '6789']);
});

row('audit.recipient', () => {
  expect([allowed['recipient'], denied['recipient']]).toEqual([recipient, stranger]);
});

row('audit.recipient_or_url', () => {
  const both = [allowed['recipient_or_url'], denied['recipient_or_url']];
  expect(both).toEqual([recipient, stranger]);
});

row('audit.decision', () => {
  expect([allowed['decision'], denied['decision']]).toEqual(['allow', 'deny']);
});

row('audit.reason', () => {
  expect([allowed['reason'], denied['reason']]).toEqual([null, 'RecipientNotAllowed']);
});

row('audit.tx_signature', () => {
  expect([allowed['tx_signature'], denied['tx_signature']]).toEqual([signature, null]);
});

row('audit.created_at', () => {
  for (const { created_at: at } of [allowed, denied]) {
    expect(at).toMatch(ISO);
    const ms = Date.parse(String(at));
    // The database's clock and ours are one machine's; a second is for rounding.
    expect(ms).toBeGreaterThanOrEqual(askedBetween[0] - 1_000);
    expect(ms).toBeLessThanOrEqual(askedBetween[1] + 1_000);
  }
});
