/** The client of an owner against a running system: from the sign-in to the last withdrawal. */
import { Keypair, PublicKey } from '@solana/web3.js';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { type AgentWallet, createAgentWallet, usdc } from '../../libs/sdk/src/index.ts';
import {
  type CreatedSession,
  createOwnerClient,
  keypairSigner,
  LOCAL,
  type OwnerClient,
  worstCase,
} from '../../libs/sdk/src/owner/index.ts';
import { OWNER_CALLS } from '../../libs/sdk/src/owner/owner-calls.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const SOL = 1_000_000_000;
const FUNDS = usdc('10');

const system = useSystem();
let fixture: LaneFixture;
let keypair: Keypair;
let recipient: string;
let owner: OwnerClient;
let walletId: string;
let session: CreatedSession;
let agent: AgentWallet;

const limits = () => ({
  max_per_tx: usdc('1'),
  daily_cap: usdc('5'),
  expiry: Math.floor(Date.now() / 1_000) + 3_600,
  allowed_instructions: 1,
});

beforeAll(async () => {
  fixture = await createLaneFixture(system());
  recipient = await fixture.createRecipient();
  keypair = Keypair.generate();
  await system().faucet.sol(keypair.publicKey, SOL);
  owner = clientOf(keypair);
  return () => fixture[Symbol.asyncDispose]();
});

function clientOf(key: Keypair): OwnerClient {
  const { urls, programId, usdcMint } = system();
  return createOwnerClient({
    url: urls.api,
    rpcUrl: urls.rpc,
    deployment: { ...LOCAL, programId, usdcMint },
    signer: keypairSigner(key.secretKey),
  });
}

const agentOf = (apiKey: string | null): AgentWallet =>
  createAgentWallet({ url: system().urls.api, apiKey: apiKey ?? '' });

const pay = async (amount: bigint) => agent.waitFor(await agent.transfer({ recipient, amount }));

test('every call of the client is an operation of an owner', async () => {
  const operation = z.looseObject({ security: z.array(z.record(z.string(), z.unknown())) });
  const paths = z.record(z.string(), z.record(z.string(), operation));
  const response = await fetch(`${system().urls.api}/openapi.json`);
  const document = z.object({ paths }).parse(await response.json());
  const callers = Object.entries(OWNER_CALLS).map(([name, { method, path }]) => {
    const found = document.paths[path]?.[method.toLowerCase()];
    return [name, found?.security.some((one) => 'ownerCookie' in one) ?? 'no such operation'];
  });
  const expected = Object.keys(OWNER_CALLS).map((name) => [
    name,
    name !== 'config' && name !== 'nonce' && name !== 'signIn',
  ]);
  expect(callers).toEqual(expected);
});

test('the configuration names a chain that pages of other origins may call', async () => {
  const { urls } = system();
  const response = await fetch(`${urls.api}/v1/config`);
  const { rpc_url: rpcUrl } = z.looseObject({ rpc_url: z.string() }).parse(await response.json());
  const called = await fetch(rpcUrl, {
    method: 'POST',
    headers: { origin: urls.dashboard, 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"getHealth"}',
  });
  expect(called.headers.get('access-control-allow-origin')).toBe('*');
  await expect(called.json()).resolves.toMatchObject({ result: 'ok' });
});

describe('an owner', () => {
  it('signs in with a signature and has no wallet yet', async () => {
    await expect(owner.wallet()).rejects.toMatchObject({ status: 401 });
    await expect(owner.signIn()).resolves.toMatchObject({ pubkey: keypair.publicKey.toBase58() });
    await expect(owner.wallet()).rejects.toMatchObject({ code: 'WALLET_NOT_FOUND' });
  });

  it('creates the vault and funds it', async () => {
    const created = await owner.createWallet({ max_deployed_fraction_bp: 8_000 });
    walletId = created.wallet_id;
    await created.transaction.sendAndConfirm();
    const { address } = await owner.depositAddress();
    expect(address).toBe(created.vaultUsdcAta);
    await system().faucet.usdc(new PublicKey(address), FUNDS);
    await expect(owner.wallet()).resolves.toMatchObject({
      wallet_id: walletId,
      status: 'active',
      max_deployed_fraction_bp: 8_000,
      liquid: FUNDS,
    });
  });

  it('creates a session, with whose key the agent pays', async () => {
    session = await owner.createSession({
      ...limits(),
      wallet_id: walletId,
      allowed_recipients: [recipient],
    });
    await expect(owner.session(session.session_id)).resolves.toMatchObject({
      status: 'awaiting_owner_signature',
      session_index: null,
    });
    await session.transaction?.sendAndConfirm();
    const [listed] = await owner.sessions();
    const { session_pda, session_index } = session;
    expect(listed).toMatchObject({ status: 'live', session_pda, session_index });
    agent = agentOf(session.api_key);
    await expect(pay(usdc('0.25'))).resolves.toMatchObject({ status: 'confirmed' });
  });

  it('sees what a stolen key could move, as the API computes it from the chain', async () => {
    const shown = await owner.session(session.session_id);
    const radius = await owner.sessionBlastRadius(session.session_id);
    expect(worstCase(shown, new Date(radius.computed_at * 1_000))).toEqual(radius.by_limits);
    expect(radius.by_limits.now).toBe(usdc('4.75'));
    const { by_limits } = await owner.walletBlastRadius();
    expect(by_limits.now).toBe(usdc('4.75'));
  });

  it('changes limits and recipients', async () => {
    const lower = { ...limits(), max_per_tx: usdc('0.1') };
    await (await owner.changeLimits(session, lower)).sendAndConfirm();
    await expect(pay(usdc('0.25'))).rejects.toMatchObject({ code: 'AmountExceedsMaxPerTx' });
    await (await owner.changeRecipients(session, [])).sendAndConfirm();
    await expect(pay(1n)).rejects.toMatchObject({ code: 'RecipientNotAllowed' });
    // The session as the API shows it is enough to name it.
    const shown = await owner.session(session.session_id);
    await (await owner.changeRecipients(shown, [recipient])).sendAndConfirm();
    await expect(pay(1n)).resolves.toMatchObject({ amount: 1n });
  });

  it('pauses all sessions and resumes them', async () => {
    await (await owner.pause()).sendAndConfirm();
    await expect(pay(1n)).rejects.toMatchObject({ code: 'VaultPaused' });
    await (await owner.resume()).sendAndConfirm();
    await expect(pay(2n)).resolves.toMatchObject({ amount: 2n });
  });

  it('gives the agent a new key', async () => {
    const { api_key } = await owner.rotateKey(session.session_id);
    await expect(agent.position()).rejects.toMatchObject({ status: 401 });
    agent = agentOf(api_key);
    await expect(pay(3n)).resolves.toMatchObject({ amount: 3n });
  });

  it('sets the off-chain rules', async () => {
    const rules = {
      url_allowlist: [{ pattern: 'https://shop.example/**', max_per_call: usdc('0.02') }],
      time_window: null,
    };
    await expect(owner.setPolicy(rules)).resolves.toMatchObject(rules);
    await expect(owner.policy()).resolves.toMatchObject(rules);
  });

  it('reads decisions and spends', async () => {
    const { session_id } = session;
    const denied = await Array.fromAsync(owner.audit({ decision: 'deny', session_id }));
    expect(denied.map(({ reason }) => reason)).toEqual([
      'VaultPaused',
      'RecipientNotAllowed',
      'AmountExceedsMaxPerTx',
    ]);
    const spends = await Array.fromAsync(owner.spends({ session_id, status: 'confirmed' }));
    expect(spends.map(({ amount }) => amount)).toEqual([3n, 2n, 1n, usdc('0.25')]);
  });

  it('deploys to the reserve and withdraws from it, within the share that it sets', async () => {
    await (await owner.setMaxDeployedFraction(5_000)).sendAndConfirm();
    await expect(owner.yieldDeposit({ amount: FUNDS })).rejects.toMatchObject({
      code: 'INSUFFICIENT_LIQUID',
    });
    await (await owner.yieldDeposit({ amount: usdc('4') })).sendAndConfirm();
    await expect(owner.yieldPosition()).resolves.toMatchObject({ deployed: usdc('4') });
    await expect(owner.yieldWithdraw({ amount: usdc('5') })).rejects.toMatchObject({
      code: 'WithdrawExceedsDeployed',
    });
    await (await owner.yieldWithdraw({ amount: usdc('1') })).sendAndConfirm();
    await (await owner.yieldWithdraw({ amount: 'all' })).sendAndConfirm();
    await waitUntil('the movements are recorded', async () => {
      const { deposited, withdrawn } = await owner.yieldPosition();
      return deposited === usdc('4') && withdrawn === usdc('4');
    });
    await expect(owner.yieldPosition()).resolves.toMatchObject({ deployed: 0n, earned: 0n });
  });

  it('revokes the session', async () => {
    await (await owner.revoke(session)).sendAndConfirm();
    await expect(pay(1n)).rejects.toMatchObject({ code: expect.stringMatching(/revoked/i) });
  });

  it('withdraws everything', async () => {
    const { tx_signature } = await (await owner.withdraw({ amount: 'all' })).sendAndConfirm();
    expect(tx_signature).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    await expect(owner.wallet()).resolves.toMatchObject({ liquid: 0n });
    const own = fixture.program.addresses.usdcAta(keypair.publicKey.toBase58());
    // Each use of the reserve may round down by a base unit.
    expect(await fixture.balance(own)).toBeGreaterThanOrEqual(FUNDS - usdc('0.25') - 6n - 2n);
  });

  it('signs out', async () => {
    await owner.signOut();
    await expect(owner.wallet()).rejects.toMatchObject({ status: 401 });
  });
});
