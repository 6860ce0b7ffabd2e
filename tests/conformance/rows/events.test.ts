import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { eventsOf, historyOf, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import { auditOf, newOwner, newRecipient, revoke, transfer } from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
let signature: string;
let spendId: string;
let revocation: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(1_000_000n), newRecipient()]);
  session = await owner.createSession({
    recipients: [recipient],
    maxPerTx: 500n,
    dailyCap: 900n,
    expiry: 4_000_000_000n,
  });
  const { body } = await transfer(session.apiKey, { recipient, amount: 321 });
  signature = String(body['tx_signature']);
  spendId = String(body['spend_id']);
  revocation = await revoke(owner, session.sessionId);
});

row('events.init_vault', async () => {
  expect(await eventsOf(owner.vault, 'VaultInitialized')).toEqual([
    {
      name: 'VaultInitialized',
      data: {
        owner: owner.keypair.publicKey.toBase58(),
        vault: owner.vault,
        vault_token_account: owner.vaultUsdcAta,
        max_deployed_fraction_bp: 0,
      },
    },
  ]);
});

row('events.add_session', async () => {
  expect(await eventsOf(session.sessionPda, 'SessionAdded')).toEqual([
    {
      name: 'SessionAdded',
      data: {
        vault: owner.vault,
        session: session.sessionPda,
        session_pubkey: expect.stringMatching(/^\w{32,44}$/),
        index: 0n,
        max_per_tx: 500n,
        daily_cap: 900n,
        expiry: 4_000_000_000n,
        allowed_instructions: 1,
        recipients: [recipient],
      },
    },
  ]);
});

row('events.transfer_usdc', async () => {
  expect((await readTransaction(signature)).events).toEqual([
    {
      name: 'UsdcTransferred',
      data: {
        vault: owner.vault,
        session: session.sessionPda,
        session_index: 0n,
        recipient,
        amount: 321n,
        spend_seq: 1n,
        spend_id: spendId.replaceAll('-', ''),
        daily_spent: 321n,
        daily_cap: 900n,
        vault_balance_after: 999_679n,
        unix_timestamp: expect.any(BigInt),
      },
    },
  ]);
});

row('events.revoke_session', async () => {
  expect((await readTransaction(revocation)).events).toEqual([
    {
      name: 'SessionRevoked',
      data: expect.objectContaining({ vault: owner.vault, session: session.sessionPda, index: 0n }),
    },
  ]);
});

row('events.from-any-node', async () => {
  const history = await historyOf(owner.vault);
  const names = history.flatMap(({ events }) => events.map(({ name }) => name));
  expect(names).toEqual(['VaultInitialized', 'SessionAdded', 'UsdcTransferred', 'SessionRevoked']);
  for (const { events, selfCalls } of history) expect(selfCalls).toEqual(events);
});

row('events.audit-superset', async () => {
  const one = await owner.createSession({ recipients: [recipient], maxPerTx: 1n });
  const before = await historyOf(one.sessionPda);
  const denied = await transfer(one.apiKey, { recipient, amount: 2 });
  expect(denied.status).toBe(402);
  const items = await auditOf(owner, `session_id=${one.sessionId}`);
  expect(items).toMatchObject([{ decision: 'deny', reason: 'AmountExceedsMaxPerTx' }]);
  expect(await historyOf(one.sessionPda)).toEqual(before);
});

row('events.funding-has-no-row', async () => {
  const funded = await newOwner(777n);
  expect(await historyOf(funded.vaultUsdcAta)).toMatchObject([
    { events: [{ name: 'VaultInitialized' }] },
    { succeeded: true, events: [] },
  ]);
  const items = await auditOf(funded);
  expect(items.filter(({ action }) => action !== 'init_vault')).toEqual([]);
});
