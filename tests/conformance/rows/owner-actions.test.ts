import { beforeAll, expect } from 'vitest';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { eventsOf, readAccount, readTransaction } from '../chain-history.ts';
import { row } from '../row.ts';
import {
  asOwner,
  auditOf,
  chain,
  newOwner,
  newRecipient,
  ownerSends,
  readSession,
  revoke,
  transfer,
} from '../world.ts';

let owner: HttpOwner;
let session: HttpSession;
let recipient: string;
beforeAll(async () => {
  [owner, recipient] = await Promise.all([newOwner(5_000_000n), newRecipient()]);
  session = await owner.createSession({ recipients: [recipient], maxPerTx: 1_000n });
});

/** Asks for a transaction, which is all that comes back, signs it, sends it. */
async function act(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<string> {
  const answer = await asOwner(owner, method, path, body);
  expect([answer.status, Object.keys(answer.body)]).toEqual([200, ['txBase64']]);
  return ownerSends(owner.keypair, String(answer.body['txBase64']));
}

row('open.session.recipients', async () => {
  const other = await newRecipient();
  const path = `/v1/session/${session.sessionId}/recipients`;
  const answer = await asOwner(owner, 'PUT', path, { allowed_recipients: [recipient, other] });
  // Asked for and not signed: the old list counts.
  expect((await transfer(session.apiKey, { recipient: other, amount: 1 })).status).toBe(402);
  await ownerSends(owner.keypair, String(answer.body['txBase64']));
  expect((await transfer(session.apiKey, { recipient: other, amount: 1 })).status).toBe(200);
  expect(await readSession(owner, session.sessionId)).toMatchObject({
    allowed_recipients: [recipient, other],
  });
});

row('events.update_session_allowlist', async () => {
  const path = `/v1/session/${session.sessionId}/recipients`;
  const signature = await act('PUT', path, { allowed_recipients: [recipient] });
  expect((await readTransaction(signature)).events).toEqual([
    {
      name: 'SessionAllowlistUpdated',
      data: { vault: owner.vault, session: session.sessionPda, recipients: [recipient] },
    },
  ]);
});

row('open.session.limits', async () => {
  const one = await owner.createSession({ recipients: [recipient], maxPerTx: 10n });
  expect((await transfer(one.apiKey, { recipient, amount: 11 })).status).toBe(402);
  const signature = await act('PATCH', `/v1/session/${one.sessionId}`, { max_per_tx: 11 });
  expect((await transfer(one.apiKey, { recipient, amount: 11 })).status).toBe(200);
  expect((await readTransaction(signature)).events).toMatchObject([
    { name: 'SessionLimitsUpdated' },
  ]);
  const nothing = await asOwner(owner, 'PATCH', `/v1/session/${one.sessionId}`, {});
  expect(nothing.status).toBe(400);
});

row('open.owner.fraction', async () => {
  await act('POST', '/v1/wallet/max-deployed-fraction', { max_deployed_fraction_bp: 2_500 });
  expect(await readAccount('Vault', owner.vault)).toMatchObject({
    max_deployed_fraction_bp: 2_500,
  });
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body['max_deployed_fraction_bp']).toBe(2_500);
});

row('events.set_max_deployed_fraction', async () => {
  const other = await newOwner(0n);
  const path = '/v1/wallet/max-deployed-fraction';
  const { body } = await asOwner(other, 'POST', path, { max_deployed_fraction_bp: 5_000 });
  await ownerSends(other.keypair, String(body['txBase64']));
  expect(await eventsOf(other.vault, 'MaxDeployedFractionSet')).toMatchObject([
    { data: { vault: other.vault, max_deployed_fraction_bp: 5_000 } },
  ]);
});

row('open.owner.pause', async () => {
  await act('POST', '/v1/wallet/pause', { paused: true });
  const refused = await transfer(session.apiKey, { recipient, amount: 1 });
  expect(refused).toMatchObject({ status: 402, body: { code: 'VaultPaused' } });
  expect((await asOwner(owner, 'GET', '/v1/wallet')).body['paused']).toBe(true);
  await act('POST', '/v1/wallet/pause', { paused: false });
  expect((await transfer(session.apiKey, { recipient, amount: 1 })).status).toBe(200);
});

row('open.owner.withdraw', async () => {
  const account = chain.usdcAccountOf(owner.keypair.publicKey.toBase58());
  const read = () => chain.balances([owner.vaultUsdcAta, account]);
  const [inVault = 0n, withOwner = 0n] = await read();
  await act('POST', '/v1/wallet/withdraw', { amount: 1_000 });
  expect(await read()).toEqual([inVault - 1_000n, withOwner + 1_000n]);
  await act('POST', '/v1/wallet/withdraw', { amount: 'all' });
  expect(await read()).toEqual([0n, withOwner + inVault]);
});

row('open.audit.owner-actions', async () => {
  const other = await newOwner(0n);
  const one = await other.createSession({ recipients: [recipient] });
  await revoke(other, one.sessionId);
  const logged = await waitUntil('the owner’s three actions in the log', async () => {
    const items = await auditOf(other);
    return items.length === 3 && items;
  });
  expect(logged).toMatchObject([
    { action: 'revoke_session', session_id: null, decision: 'allow' },
    { action: 'add_session', session_id: null, decision: 'allow' },
    { action: 'init_vault', session_id: null, decision: 'allow' },
  ]);
  for (const item of logged) {
    const { succeeded } = await readTransaction(String(item['tx_signature']));
    expect(succeeded).toBe(true);
  }
});

row('service.owner.creates-and-reads', async () => {
  const other = await newOwner(1_000n);
  const one = await other.createSession({ recipients: [recipient] });
  const rules = { url_allowlist: [], time_window: null };
  expect((await asOwner(other, 'PUT', '/v1/wallet/policy', rules)).status).toBe(200);
  expect((await transfer(one.apiKey, { recipient, amount: 10 })).status).toBe(200);
  await revoke(other, one.sessionId);
  const items = await auditOf(other, `session_id=${one.sessionId}`);
  expect(items).toMatchObject([{ action: 'transfer', decision: 'allow', amount: '10' }]);
});
