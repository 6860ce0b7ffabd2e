import { decodeAddress } from '@agent-wallet/contract';
import { createAgentApi, newIdempotencyKey } from '../agent/agent-api.ts';
import { AgentWalletError } from '../http/agent-wallet-error.ts';
import { createHttpClient, noReply } from '../http/http-client.ts';
import { readPages } from '../http/pages.ts';
import { badRequest, readUrl } from '../http/read-url.ts';
import { type Clock, startTimeLimit, type TimeLimit } from '../http/time-limit.ts';
import { createChainNode } from './chain/chain-node.ts';
import { createRpcNode } from './chain/rpc-node.ts';
import { toBase64 } from './chain/base64.ts';
import { type Checked, checkNextIndex, createTransactionChecks } from './check-transactions.ts';
import { createCookieFetch } from './cookie-fetch.ts';
import { OWNER_CALLS } from './owner-calls.ts';
import type {
  CreatedSession,
  NamedSession,
  OwnerCallOptions,
  OwnerClient,
  OwnerClientOptions,
  SessionRequest,
} from './owner-client.ts';
import { createOwnerTransaction } from './owner-transaction.ts';
import { signInText } from './sign-in-text.ts';
import { DEVNET, tokenAccountOf } from './transaction/addresses.ts';
import type { Expectations, ExpectedSession } from './transaction/expect-transaction.ts';
import type { ExpectedInstruction } from './transaction/expected-instruction.ts';
import { createOwnerWebhooks } from './webhooks/owner-webhooks.ts';

const TIMEOUT_MS = 120_000;
const PAGE_SIZE = '200';

/** The clock for waiting, and the time of day from which deadlines are judged. */
export type OwnerClocks = { readonly clock: Clock; readonly timeOfDayMs: () => number };

/** The client of one owner, on given clocks. Sends nothing by itself. */
export function createOwnerClientOn(
  { clock, timeOfDayMs }: OwnerClocks,
  options: OwnerClientOptions,
): OwnerClient {
  const { signer, site, deployment = DEVNET, rpcUrl } = options;
  const { fetch = (input, init) => globalThis.fetch(input, init) } = options;
  const { address: owner } = signer;
  for (const given of [owner, deployment.programId, deployment.usdcMint]) {
    if (decodeAddress(given) === null) throw badRequest(`'${given}' must be a base58 address`);
  }
  const url = readUrl(options.url, 'url').href;
  const api = createAgentApi(
    createHttpClient({ url, headers: {}, fetch: createCookieFetch(fetch), clock }),
  );
  const node =
    rpcUrl === undefined
      ? null
      : createChainNode(
          createRpcNode({ rpcUrl: readUrl(rpcUrl, 'rpcUrl').href, fetch, clock }),
          clock,
        );
  const checks = createTransactionChecks(deployment, owner, timeOfDayMs);
  const limitOf = (given: OwnerCallOptions): TimeLimit =>
    startTimeLimit(clock, given.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS, given.signal);
  const toSign = (found: Checked) => createOwnerTransaction(found, { signer, node, limitOf });

  async function checked(
    txBase64: string,
    expect: (expectations: Expectations) => readonly ExpectedInstruction[],
  ) {
    return toSign(checks.check(txBase64, expect(await checks.expectations())));
  }

  const named = ({ session_pubkey, session_index = null }: NamedSession) =>
    checks.session(readAddress(session_pubkey), session_index);

  async function createSession(
    request: SessionRequest,
    idempotencyKey: string,
    limit: TimeLimit,
  ): Promise<CreatedSession> {
    const asked = { body: request, idempotencyKey };
    const { txBase64, session_pubkey, session_id, api_key } = await api.read(
      OWNER_CALLS.createSession,
      asked,
      limit,
    );
    const { pda } = await checks.session(readAddress(session_pubkey), null);
    const created = { session_id, session_pubkey, session_pda: pda, api_key };
    if (txBase64 === null) return { ...created, session_index: null, transaction: null };
    const session = { pda, index: null, pubkey: session_pubkey };
    const expected = (await checks.expectations()).addSession(
      session,
      request,
      request.allowed_recipients,
    );
    const decoded = checks.check(txBase64, expected);
    const index = decoded.instructions[0]?.args['session_index'];
    if (typeof index !== 'bigint') throw new Error('a session without an index');
    const { vault } = await checks.addresses();
    if (node !== null) await checkNextIndex({ vault, index }, { node, clock, limit });
    return { ...created, session_index: index, transaction: toSign(decoded) };
  }

  async function changeSession(
    session: NamedSession,
    txBase64: string,
    expect: (expectations: Expectations, at: ExpectedSession) => readonly ExpectedInstruction[],
  ) {
    const at = await named(session);
    return checked(txBase64, (expectations) => expect(expectations, at));
  }

  async function setPaused(paused: boolean, given: OwnerCallOptions) {
    const { txBase64 } = await api.read(OWNER_CALLS.pause, { body: { paused } }, limitOf(given));
    return checked(txBase64, (expectations) => expectations.setPaused(paused));
  }

  return {
    config: async (given = {}) => api.read(OWNER_CALLS.config, {}, limitOf(given)),
    signIn: async (given = {}) => {
      const limit = limitOf(given);
      const challenge = await api.read(OWNER_CALLS.nonce, { body: {} }, limit);
      const text = new TextEncoder().encode(signInText(challenge, { owner, site }));
      const signature = toBase64(await signer.signMessage(text));
      const body = { pubkey: owner, signature, nonce: challenge.nonce };
      return api.read(OWNER_CALLS.signIn, { body }, limit);
    },
    signOut: async (given = {}) => {
      await api.read(OWNER_CALLS.signOut, { body: {} }, limitOf(given));
    },
    createWallet: async ({ max_deployed_fraction_bp = 0 } = {}, given = {}) => {
      const body = { max_deployed_fraction_bp };
      const reply = await api.read(OWNER_CALLS.createWallet, { body }, limitOf(given));
      const transaction = toSign(
        await checks.checkInitVault(reply.txBase64, max_deployed_fraction_bp),
      );
      const { vault, vaultUsdcAta } = await checks.addresses();
      return { wallet_id: reply.wallet_id, vaultPda: vault, vaultUsdcAta, transaction };
    },
    wallet: async (given = {}) => {
      const reply = await api.read(OWNER_CALLS.wallet, {}, limitOf(given));
      const { vault, vaultUsdcAta } = await checks.addresses();
      expectAddress('owner', reply.owner, owner);
      expectAddress('vaultPda', reply.vaultPda, vault);
      expectAddress('vaultUsdcAta', reply.vaultUsdcAta, vaultUsdcAta);
      return reply;
    },
    depositAddress: async (given = {}) => {
      const reply = await api.read(OWNER_CALLS.depositAddress, {}, limitOf(given));
      expectAddress('address', reply.address, (await checks.addresses()).vaultUsdcAta);
      expectAddress('mint', reply.mint, deployment.usdcMint);
      return reply;
    },
    policy: async (given = {}) => api.read(OWNER_CALLS.policy, {}, limitOf(given)),
    setPolicy: async (body, given = {}) =>
      api.read(OWNER_CALLS.setPolicy, { body }, limitOf(given)),
    createSession: async (request, { idempotencyKey = newIdempotencyKey(), ...given } = {}) =>
      createSession(request, idempotencyKey, limitOf(given)),
    sessions: async (given = {}) =>
      (await api.read(OWNER_CALLS.sessions, {}, limitOf(given))).items,
    session: async (id, given = {}) => api.read(OWNER_CALLS.session, { id }, limitOf(given)),
    sessionBlastRadius: async (id, given = {}) =>
      api.read(OWNER_CALLS.sessionBlastRadius, { id }, limitOf(given)),
    walletBlastRadius: async (given = {}) =>
      api.read(OWNER_CALLS.walletBlastRadius, {}, limitOf(given)),
    changeLimits: async (session, limits, given = {}) => {
      const { max_per_tx, daily_cap, expiry, allowed_instructions } = limits;
      const body = { max_per_tx, daily_cap, expiry, allowed_instructions };
      const asked = { id: session.session_id, body };
      const { txBase64 } = await api.read(OWNER_CALLS.changeLimits, asked, limitOf(given));
      return changeSession(session, txBase64, (expect, at) => expect.updateLimits(at, limits));
    },
    changeRecipients: async (session, recipients, given = {}) => {
      const asked = { id: session.session_id, body: { allowed_recipients: recipients } };
      const { txBase64 } = await api.read(OWNER_CALLS.changeRecipients, asked, limitOf(given));
      return changeSession(session, txBase64, (expect, at) =>
        expect.updateRecipients(at, recipients),
      );
    },
    recipientsWithoutAccount: async (recipients, given = {}) => {
      const { usdcMint } = deployment;
      const accounts = await Promise.all(
        recipients.map(async (wallet) => tokenAccountOf(readRecipient(wallet), usdcMint)),
      );
      if (node === null) throw badRequest('rpcUrl must be given to the client that reads accounts');
      const found = await node.hasTokenAccounts(accounts, limitOf(given));
      if (found === null) {
        throw noReply(null, { error: 'rpcUrl does not return accounts', idempotencyKey: null });
      }
      return recipients.filter((_, place) => found[place] === false);
    },
    rotateKey: async (id, given = {}) =>
      api.read(OWNER_CALLS.rotateKey, { id, body: {} }, limitOf(given)),
    revoke: async (session, given = {}) => {
      const asked = { id: session.session_id, body: {} };
      const { txBase64 } = await api.read(OWNER_CALLS.revoke, asked, limitOf(given));
      return changeSession(session, txBase64, (expect, at) => expect.revokeSession(at));
    },
    pause: async (given = {}) => setPaused(true, given),
    resume: async (given = {}) => setPaused(false, given),
    withdraw: async ({ amount, destination }, given = {}) => {
      const body = { amount, ...(destination === undefined ? {} : { destination }) };
      const { txBase64 } = await api.read(OWNER_CALLS.withdraw, { body }, limitOf(given));
      return checked(txBase64, (expect) => expect.withdraw(amount, destination ?? null));
    },
    yieldPosition: async (given = {}) => api.read(OWNER_CALLS.yieldPosition, {}, limitOf(given)),
    yieldDeposit: async ({ amount }, given = {}) => {
      const reserve = await checks.reserve();
      const asked = { body: { amount } };
      const { txBase64 } = await api.read(OWNER_CALLS.yieldDeposit, asked, limitOf(given));
      return checked(txBase64, (expect) => expect.yieldDeposit(amount, reserve));
    },
    yieldWithdraw: async ({ amount }, given = {}) => {
      const reserve = await checks.reserve();
      const asked = { body: { amount } };
      const { txBase64 } = await api.read(OWNER_CALLS.yieldWithdraw, asked, limitOf(given));
      return checked(txBase64, (expect) => expect.yieldWithdraw(amount, reserve, null));
    },
    setMaxDeployedFraction: async (bp, given = {}) => {
      const asked = { body: { max_deployed_fraction_bp: bp } };
      const { txBase64 } = await api.read(
        OWNER_CALLS.setMaxDeployedFraction,
        asked,
        limitOf(given),
      );
      return toSign(await checks.checkMaxDeployedFraction(txBase64, bp));
    },
    audit: (filter = {}, given = {}) =>
      readPages((cursor) =>
        api.read(OWNER_CALLS.audit, { query: pageOf(filter, cursor) }, limitOf(given)),
      ),
    spends: (filter = {}, given = {}) =>
      readPages((cursor) =>
        api.read(OWNER_CALLS.spends, { query: pageOf(filter, cursor) }, limitOf(given)),
      ),
    webhooks: createOwnerWebhooks(api, limitOf),
  };
}

const pageOf = (
  { from, to, ...filter }: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  cursor: string | undefined,
) => ({
  ...filter,
  from: from?.toISOString(),
  to: to?.toISOString(),
  cursor,
  limit: PAGE_SIZE,
});

function readRecipient(text: string): string {
  if (decodeAddress(text) !== null) return text;
  throw badRequest(`'${text}' must be a base58 address`);
}

function readAddress(text: string): string {
  if (decodeAddress(text) !== null) return text;
  throw new AgentWalletError({
    code: 'ADDRESS_MISMATCH',
    error: 'session_pubkey is not a base58 address',
  });
}

function expectAddress(field: string, found: string, wanted: string): void {
  if (found === wanted) return;
  throw new AgentWalletError({
    code: 'ADDRESS_MISMATCH',
    error: `the API's ${field} is ${found}, expected ${wanted}`,
    remedy: 'send no money there; compare deployment with the one that you trust',
  });
}
