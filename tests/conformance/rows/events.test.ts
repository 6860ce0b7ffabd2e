import { expect } from 'vitest';
import {
  type ChainEvent,
  eventsOf,
  historyOf,
  readAccount,
  readTransaction,
} from '../chain-history.ts';
import { row } from '../row.ts';
import { chain, newOwner, newRecipient, newSpender, refused, refusedOnChain } from '../world.ts';

const LIMITS = { maxPerTx: 500n, dailyCap: 900n, expiry: 4_000_000_000n };

const { owner, agent, recipient } = await newSpender(1_000_000n, LIMITS);
const { vault } = owner;
const session = agent.sessionPda;
const index = (await readAccount('Session', session))?.['index'];
const spent = (await agent.pay(321)).body;
const revocation = await owner.revoke(agent);
const eventsIn = async (signature: unknown): Promise<readonly ChainEvent[]> =>
  (await readTransaction(String(signature))).events;

row('events.init_vault', async () => {
  const data = {
    owner: owner.keypair.publicKey.toBase58(),
    vault,
    vault_token_account: owner.vaultUsdcAta,
    max_deployed_fraction_bp: 0,
  };
  const name = 'VaultInitialized';
  expect(await eventsOf(vault, name)).toEqual([{ name, data }]);
});

row('events.add_session', async () => {
  const data = {
    vault,
    session,
    session_pubkey: expect.stringMatching(/^\w{32,44}$/),
    index,
    max_per_tx: 500n,
    daily_cap: 900n,
    expiry: 4_000_000_000n,
    allowed_instructions: 1,
    recipients: [recipient],
  };
  const name = 'SessionAdded';
  expect(await eventsOf(session, name)).toEqual([{ name, data }]);
});

row('events.transfer_usdc', async () => {
  const data = {
    vault,
    session,
    session_index: index,
    recipient,
    amount: 321n,
    spend_seq: 1n,
    spend_id: String(spent['spend_id']).replaceAll('-', ''),
    daily_spent: 321n,
    daily_cap: 900n,
    vault_balance_after: 999_679n,
    unix_timestamp: expect.any(BigInt),
  };
  expect(await eventsIn(spent['tx_signature'])).toEqual([{ name: 'UsdcTransferred', data }]);
});

row('events.revoke_session', async () => {
  const data = expect.objectContaining({ vault, session, index });
  expect(await eventsIn(revocation)).toEqual([{ name: 'SessionRevoked', data }]);
});

row('events.from-any-node', async () => {
  const history = await historyOf(vault);
  const names = history.flatMap(({ events }) => events.map(({ name }) => name));
  expect(names).toEqual(['VaultInitialized', 'SessionAdded', 'UsdcTransferred', 'SessionRevoked']);
  for (const { events, selfCalls } of history) expect(selfCalls).toEqual(events);
});

row('events.funding-has-no-row', async () => {
  const funded = await newOwner(777n);
  expect(await historyOf(funded.vaultUsdcAta)).toMatchObject([
    { events: [{ name: 'VaultInitialized' }] },
    { succeeded: true, events: [] },
  ]);
  const items = await funded.audit();
  expect(items.filter(({ action }) => action !== 'init_vault')).toEqual([]);
});

row(['events.update_session_allowlist', 'open.session.recipients'], async () => {
  const [one, other] = [await owner.openAgent(recipient), await newRecipient()];
  const path = `/v1/session/${one.sessionId}/recipients`;
  const recipients = [other];
  const pay = async () => (await one.pay(1, { recipient: other })).status;
  await owner.call('PUT', path, { allowed_recipients: recipients });
  // Requested and not signed: the old list still applies.
  expect(await pay()).toBe(402);
  const signature = await owner.act('PUT', path, { allowed_recipients: recipients });
  expect(await pay()).toBe(200);
  expect(await one.pay(1)).toMatchObject(refusedOnChain('RecipientNotAllowed'));
  expect(await owner.readSession(one.sessionId)).toMatchObject({ allowed_recipients: recipients });
  const data = { vault, session: one.sessionPda, recipients };
  expect(await eventsIn(signature)).toEqual([{ name: 'SessionAllowlistUpdated', data }]);
});

row('open.session.limits', async () => {
  const one = await owner.openAgent(recipient, { maxPerTx: 10n });
  const path = `/v1/session/${one.sessionId}`;
  const refusalOf = async (amount: number) => (await one.pay(amount)).body['code'];
  expect(await refusalOf(11)).toBe('AmountExceedsMaxPerTx');
  const signature = await owner.act('PATCH', path, { max_per_tx: 11 });
  expect((await one.pay(11)).status).toBe(200);
  expect(await eventsIn(signature)).toMatchObject([{ name: 'SessionLimitsUpdated' }]);
  const limits = { daily_cap: 20, expiry: Math.floor(Date.now() / 1_000) + 7_200 };
  await owner.act('PATCH', path, limits);
  expect(await refusalOf(10)).toBe('DailyCapExceeded');
  const read = { ...limits, status: 'live', max_per_tx: 11, daily_remaining: 9 };
  expect(await owner.readSession(one.sessionId)).toMatchObject(read);
  await owner.act('PATCH', path, { allowed_instructions: 6 });
  expect(await refusalOf(1)).toBe('InstructionNotAllowed');
  expect((await owner.call('PATCH', path, {})).status).toBe(400);
});

row(['events.set_max_deployed_fraction', 'open.owner.fraction'], async () => {
  const fraction = { max_deployed_fraction_bp: 2_500 };
  await owner.act('POST', '/v1/wallet/max-deployed-fraction', fraction);
  expect(await eventsOf(vault, 'MaxDeployedFractionSet')).toMatchObject([
    { data: { vault, ...fraction } },
  ]);
  expect(await readAccount('Vault', vault)).toMatchObject(fraction);
  expect((await owner.call('GET', '/v1/wallet')).body).toMatchObject(fraction);
});

row(['open.owner.pause', 'open.owner.withdraw'], async () => {
  const one = await owner.openAgent(recipient);
  const readWallet = async () => (await owner.call('GET', '/v1/wallet')).body;
  const destination = chain.usdcAccountOf(owner.keypair.publicKey.toBase58());
  const read = () => chain.balances([owner.vaultUsdcAta, destination]);
  const withdraw = (body: object) => owner.act('POST', '/v1/wallet/withdraw', body);
  await owner.act('POST', '/v1/wallet/pause', {});
  expect(await one.pay(1)).toMatchObject(refusedOnChain('VaultPaused'));
  expect((await readWallet())['paused']).toBe(true);

  // Paused or not, the owner may withdraw; the destination does not exist yet.
  const [inVault = 0n, withOwner = 0n] = await read();
  await withdraw({ amount: 1_000 });
  expect(await read()).toEqual([inVault - 1_000n, withOwner + 1_000n]);
  await owner.act('POST', '/v1/wallet/pause', { paused: false });
  expect((await one.pay(1)).status).toBe(200);
  await withdraw({ amount: 'all', destination });
  expect(await read()).toEqual([0n, withOwner + inVault - 1n]);
  expect(await readWallet()).toMatchObject({ paused: false, liquid: 0 });
  const again = await owner.call('POST', '/v1/wallet/withdraw', { amount: 'all' });
  expect(again).toMatchObject(refused(409, 'nothing to withdraw'));
});

row('service.owner.creates-and-reads', async () => {
  const other = await newSpender(1_000n);
  const rules = { url_allowlist: [], time_window: null };
  expect((await other.owner.call('PUT', '/v1/wallet/policy', rules)).status).toBe(200);
  expect((await other.agent.pay(10)).status).toBe(200);
  await other.owner.revoke(other.agent);
  const items = await other.owner.audit(`session_id=${other.agent.sessionId}`);
  expect(items).toMatchObject([{ action: 'transfer', decision: 'allow', amount: '10' }]);
});
