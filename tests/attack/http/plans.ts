import { randomBytes, randomUUID } from 'node:crypto';
import type { Api } from '../../support/http/http-owner.ts';
import type { Call } from './ask.ts';
import { newAddress, type Party } from './party.ts';
import { createSignIn } from './sign-in.ts';

/** What somebody else's id gets who puts it in a place of an operation. */
export type IdRule = {
  readonly theirs: (victim: Party, operationId: string) => string;
  /** Of the same form, and nobody's: gets the very same answer where `sameAnswer` says so. */
  readonly nobodys: (victim: Party) => string;
  readonly sameAnswer: boolean;
  readonly status: readonly number[];
  readonly error?: string | undefined;
  /** The wallet's: its other agents may use it as well. */
  readonly ofWallet?: boolean;
  /** The call that it is put into, where that is not the operation's own. */
  readonly call?: (party: Party) => Call;
};

/** How an operation is called by somebody who may. */
export type Plan = {
  readonly call: (party: Party, api: Api) => Call | Promise<Call>;
  /** What such a call is answered with; 200 or 202 where nothing is said. */
  readonly status?: readonly number[];
  /** By the names of {@link Operation.inputs}. */
  readonly ids?: Readonly<Record<string, IdRule>>;
};

/** Inputs that name nothing that belongs to anybody, wherever they stand. */
export const PLAIN_INPUTS: ReadonlySet<string> = new Set([
  'allowed_instructions',
  'amount',
  'body',
  'daily_cap',
  'days',
  'decision',
  'end_min',
  'expiry',
  'kind',
  'limit',
  'max_amount',
  'max_deployed_fraction_bp',
  'max_per_call',
  'max_per_tx',
  'path',
  'pattern',
  'paused',
  'Prefer',
  'signature',
  'start_min',
  'time_window',
  'timezone',
  'url_allowlist',
]);

const notFound = (what: string) => ({
  sameAnswer: true,
  status: [404],
  error: `${what} not found`,
});

const SESSION: IdRule = {
  theirs: ({ session }) => session.sessionId,
  nobodys: () => randomUUID(),
  ...notFound('session'),
};
const SPEND: IdRule = {
  theirs: ({ spendId }) => spendId,
  nobodys: () => randomUUID(),
  ...notFound('spend'),
};
const WALLET: IdRule = {
  theirs: ({ owner }) => owner.walletId,
  nobodys: () => randomUUID(),
  ...notFound('wallet'),
};
const DESTINATION: IdRule = {
  theirs: ({ owner }) => owner.vaultUsdcAta,
  nobodys: newAddress,
  sameAnswer: true,
  status: [400],
  error: 'destination must be a USDC token account of the owner',
};
/** A key of this service is no payee, whoever's it is. */
const RECIPIENTS: IdRule = {
  theirs: ({ sessionPubkey }) => sessionPubkey,
  nobodys: ({ owner }) => owner.vaultUsdcAta,
  sameAnswer: false,
  status: [400],
};
/** Not in the list of the caller's session. */
const RECIPIENT: IdRule = {
  theirs: ({ recipient }) => recipient,
  nobodys: ({ owner }) => owner.vault,
  sameAnswer: false,
  status: [402],
  error: 'on-chain submission failed',
};
const URL_OF_POLICY: IdRule = {
  theirs: ({ url }) => url,
  nobodys: () => `https://${randomUUID()}.example.com/paid`,
  sameAnswer: true,
  status: [403],
  error: 'URL_NOT_ALLOWED',
  ofWallet: true,
};
/** A key that somebody else has bound is a new one for everybody else. */
const IDEMPOTENCY_KEY: IdRule = {
  theirs: ({ idempotencyKeys }, operationId) => idempotencyKeys[operationId] ?? '',
  nobodys: () => randomUUID(),
  sameAnswer: false,
  status: [200, 202],
};
/** The entry is switched off: the same as none. */
const SLUG: IdRule = {
  theirs: () => DISABLED_SLUG,
  nobodys: () => `s-${randomUUID()}`,
  sameAnswer: true,
  status: [404],
};
/** Told in the answer, which is the same for whatever nobody may pay. */
const TOLD = { status: [200], error: undefined };

/** An entry of the catalogue that is switched off. */
export const DISABLED_SLUG = 'switched-off';

const none = (): Call => ({});
const empty = (): Call => ({ body: {} });
const ofSession = (rest: (party: Party) => Call) => ({
  call: (party: Party) => ({ path: { id: party.session.sessionId }, ...rest(party) }),
  ids: { 'path.id': SESSION },
});
const payment = (party: Party) => ({ recipient: party.recipient, amount: 1 });
const AT_ONCE = { Prefer: 'wait=0' };

/** How to call every operation of the document, by its operationId: a new one needs a line. */
export const PLANS: Readonly<Record<string, Plan>> = {
  getOpenapiJson: { call: none },
  getDocs: { call: none },
  getLivez: { call: none },
  getReadyz: { call: none },
  getMetrics: { call: none },

  postAuthSiwsNonce: { call: empty },
  postAuthSiws: {
    call: ({ owner }, api) => createSignIn(api, owner.keypair),
    ids: {
      'body.pubkey': {
        theirs: ({ owner }) => owner.keypair.publicKey.toBase58(),
        nobodys: newAddress,
        sameAnswer: true,
        status: [401],
        error: 'invalid signature',
      },
      'body.nonce': {
        theirs: ({ burnedNonce }) => burnedNonce,
        nobodys: () => randomBytes(16).toString('hex'),
        sameAnswer: true,
        status: [401],
        error: 'invalid nonce',
      },
    },
  },
  postAuthLogout: { call: empty },

  postWallet: { call: empty, status: [409] },
  getWallet: { call: none },
  getWalletBlastRadius: { call: none },
  getFundDepositAddress: { call: none },
  postWalletMaxDeployedFraction: { call: () => ({ body: { max_deployed_fraction_bp: 8_000 } }) },
  postWalletPause: { call: empty },
  postWalletWithdraw: {
    call: () => ({ body: { amount: 1 } }),
    ids: { 'body.destination': DESTINATION },
  },
  postWalletYieldDeposit: { call: () => ({ body: { amount: 1 } }) },
  // Nothing was deployed.
  postWalletYieldWithdraw: { call: () => ({ body: { amount: 1 } }), status: [402] },
  getWalletPolicy: { call: none },
  putWalletPolicy: {
    call: ({ url }) => ({
      body: { url_allowlist: [{ pattern: url, max_per_call: 100_000 }], time_window: null },
    }),
  },

  getSession: { call: none },
  postSession: {
    call: ({ owner, recipient }) => ({
      body: {
        wallet_id: owner.walletId,
        max_per_tx: 1,
        daily_cap: 1,
        expiry: 4_000_000_000,
        allowed_recipients: [recipient],
        allowed_instructions: 1,
      },
    }),
    ids: { 'body.wallet_id': WALLET, 'body.allowed_recipients': RECIPIENTS },
  },
  getSessionById: ofSession(none),
  getSessionByIdBlastRadius: ofSession(none),
  patchSessionById: ofSession(() => ({ body: { daily_cap: 1_000_000_000 } })),
  postSessionByIdRevoke: ofSession(empty),
  postSessionByIdRotateKey: {
    // The caller's own key is still needed.
    call: ({ spareSessionId }) => ({ path: { id: spareSessionId } }),
    ids: { 'path.id': SESSION },
  },
  putSessionByIdRecipients: {
    ...ofSession(({ recipient }) => ({ body: { allowed_recipients: [recipient] } })),
    ids: { 'path.id': SESSION, 'body.allowed_recipients': RECIPIENTS },
  },

  getAudit: {
    call: none,
    ids: {
      'query.session_id': { ...SESSION, ...TOLD },
      'query.cursor': {
        theirs: ({ cursor }) => cursor,
        nobodys: () => Buffer.from('a1.999999').toString('base64url'),
        sameAnswer: false,
        ...TOLD,
      },
    },
  },

  getSpendById: {
    call: ({ spendId }) => ({ path: { id: spendId } }),
    ids: { 'path.id': SPEND },
  },
  postSpendTransfer: {
    call: (party) => ({ headers: AT_ONCE, body: payment(party) }),
    ids: {
      'body.recipient': { ...RECIPIENT, call: (party) => ({ body: payment(party) }) },
      'header.Idempotency-Key': IDEMPOTENCY_KEY,
    },
  },
  postSpendSignPayment: {
    call: (party) => ({ headers: AT_ONCE, body: { url: party.url, ...payment(party) } }),
    ids: {
      'body.recipient': {
        ...RECIPIENT,
        call: (party) => ({ body: { url: party.url, ...payment(party) } }),
      },
      'body.url': URL_OF_POLICY,
      'header.Idempotency-Key': IDEMPOTENCY_KEY,
    },
  },
  postSpendService: {
    call: () => ({ headers: AT_ONCE, body: { slug: 'nowhere', max_amount: 1 } }),
    status: [404],
    ids: {
      'body.slug': SLUG,
      'header.Idempotency-Key': { ...IDEMPOTENCY_KEY, sameAnswer: true, status: [404] },
    },
  },
  postSpendQuote: {
    call: (party) => ({ body: { kind: 'sign_payment', url: party.url, ...payment(party) } }),
    ids: {
      'body.recipient': { ...RECIPIENT, ...TOLD },
      'body.url': { ...URL_OF_POLICY, ...TOLD },
      'body.slug': { ...SLUG, ...TOLD, call: () => ({ body: { kind: 'pay_service', amount: 1 } }) },
    },
  },
  getServices: { call: none },
  getAgentLimits: { call: none },
  postYieldDeposit: {
    call: () => ({ headers: AT_ONCE, body: { amount: 1_000 } }),
    ids: { 'header.Idempotency-Key': IDEMPOTENCY_KEY },
  },
  postYieldWithdraw: {
    call: () => ({ headers: AT_ONCE, body: { amount: 1 } }),
    ids: { 'header.Idempotency-Key': IDEMPOTENCY_KEY },
  },
  getYieldPosition: { call: none },
};
