import { randomBytes, randomUUID } from 'node:crypto';
import type { Api } from '../../support/http/http-owner.ts';
import { requestNonce, sign, textFor } from '../../support/http/sign-in.ts';
import type { Call } from './call-operation.ts';
import { newAddress, type Party, sessionBody, webhookBody } from './party.ts';

/** The answer to a caller who sends another party's id in one input of an operation. */
export type IdRule = {
  readonly theirs: (victim: Party, operationId: string) => string;
  /** Well-formed, but of nothing that exists; answered alike when `sameAnswer`. */
  readonly unknown: (victim: Party) => string;
  readonly sameAnswer: boolean;
  readonly status: readonly number[];
  readonly error?: string | undefined;
  /** Belongs to the wallet: its other agents may use it as well. */
  readonly ofWallet?: boolean;
  /** The call to put it into, when it is not the plan's. */
  readonly call?: (party: Party) => Call;
};

/** How a legitimate caller calls an operation. */
export type Plan = {
  readonly call: (party: Party, api: Api) => Call | Promise<Call>;
  /** Statuses of its answer; 200 or 202 when absent. */
  readonly status?: readonly number[];
  /** By the names of `Operation.inputs`. */
  readonly ids?: Readonly<Record<string, IdRule>>;
};

/** Inputs that identify nothing. */
export const PLAIN_INPUTS: ReadonlySet<string> = new Set(
  `allowed_instructions amount body daily_cap days decision enabled end_min events expiry
  facilitator from kind limit low_balance_below max_amount max_deployed_fraction_bp max_per_call max_per_tx memo path pattern
  paused Prefer signature start_min state status time_window timezone to url url_allowlist`.split(
    /\s+/,
  ),
);

const newId = (): string => randomUUID();

/** An id that is answered like one that does not exist. */
const asUnknown = (
  theirs: IdRule['theirs'],
  unknown: IdRule['unknown'],
  status: number,
  error?: string,
): IdRule => ({ theirs, unknown, sameAnswer: true, status: [status], error });

const SESSION = asUnknown(({ session }) => session.sessionId, newId, 404, 'session not found');
const WEBHOOK = asUnknown(({ webhookId }) => webhookId, newId, 404, 'webhook not found');
const SPEND = asUnknown(({ spendId }) => spendId, newId, 404, 'spend not found');
const WALLET = asUnknown(({ owner }) => owner.walletId, newId, 404, 'wallet not found');
const DESTINATION = asUnknown(
  ({ owner }) => owner.vaultUsdcAta,
  newAddress,
  400,
  'destination must be a USDC token account of the owner',
);
/** A session key of this service is no valid recipient. */
const RECIPIENTS: IdRule = {
  theirs: ({ sessionPubkey }) => sessionPubkey,
  unknown: ({ owner }) => owner.vaultUsdcAta,
  sameAnswer: false,
  status: [400],
};
/** Not in the allowlist of the caller's session. */
const RECIPIENT: IdRule = {
  theirs: ({ recipient }) => recipient,
  unknown: ({ owner }) => owner.vault,
  sameAnswer: false,
  status: [402],
  error: 'on-chain submission failed',
};
/** Anybody's: whether it can pay shows later, in the lane. */
const FEE_PAYER: IdRule = {
  theirs: ({ sessionPubkey }) => sessionPubkey,
  unknown: newAddress,
  sameAnswer: false,
  status: [202],
};
const URL_OF_POLICY: IdRule = {
  ...asUnknown(
    ({ url }) => url,
    () => `https://${randomUUID()}.example.com/paid`,
    403,
    'URL_NOT_ALLOWED',
  ),
  ofWallet: true,
};
/** The key of another session's spend counts as a new key. */
const IDEMPOTENCY_KEY: IdRule = {
  theirs: ({ idempotencyKeys }, operationId) => idempotencyKeys[operationId] ?? '',
  unknown: newId,
  sameAnswer: false,
  status: [200, 202],
};
/** A disabled entry is answered like none. */
const SLUG = asUnknown(
  () => DISABLED_SLUG,
  () => `s-${randomUUID()}`,
  404,
);
/** The refusal is part of a successful answer. */
const TOLD = { status: [200], error: undefined };

/** A disabled entry of the catalog. */
export const DISABLED_SLUG = 'switched-off';

/** The `next_cursor` of a page of spends that ends with this one. */
const cursorAt = (spendId: string): string => Buffer.from(`s1.${spendId}`).toString('base64url');

const none = (): Call => ({});
const empty = (): Call => ({ body: {} });
const ofSession = (rest: (party: Party) => Call) => ({
  call: (party: Party) => ({ path: { id: party.session.sessionId }, ...rest(party) }),
  ids: { 'path.id': SESSION },
});
const ofWebhook = (rest: () => Call, status: readonly number[] = [200]) => ({
  call: ({ webhookId }: Party) => ({ path: { id: webhookId }, ...rest() }),
  status,
  ids: { 'path.id': WEBHOOK },
});
const payment = (party: Party) => ({ recipient: party.recipient, amount: 1 });
const AT_ONCE = { Prefer: 'wait=0' };

/** How to call each operation of the document, by its operationId. */
export const PLANS: Readonly<Record<string, Plan>> = {
  getOpenapiJson: { call: none },
  getDocs: { call: none },
  getDocsReferenceJs: { call: none },
  getLivez: { call: none },
  getReadyz: { call: none },
  getConfig: { call: none },
  getConfigIdl: { call: none },

  postAuthSiwsNonce: { call: empty },
  postAuthSiws: {
    call: async ({ owner: { keypair } }, api) => {
      const challenge = await requestNonce(api);
      const signature = sign(textFor(keypair, challenge), keypair);
      const pubkey = keypair.publicKey.toBase58();
      return { body: { pubkey, signature, nonce: challenge.nonce } };
    },
    ids: {
      'body.pubkey': asUnknown(
        ({ owner }) => owner.keypair.publicKey.toBase58(),
        newAddress,
        401,
        'invalid signature',
      ),
      'body.nonce': asUnknown(
        ({ burnedNonce }) => burnedNonce,
        () => randomBytes(16).toString('hex'),
        401,
        'invalid nonce',
      ),
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
  getWalletYield: { call: none },
  postWalletYieldDeposit: { call: () => ({ body: { amount: 1 } }) },
  // Nothing is deployed.
  postWalletYieldWithdraw: { call: () => ({ body: { amount: 1 } }), status: [402] },
  getWalletPolicy: { call: none },
  putWalletPolicy: {
    call: ({ url }) => ({
      body: { url_allowlist: [{ pattern: url, max_per_call: 100_000 }], time_window: null },
    }),
  },

  getSession: { call: none },
  postSession: {
    call: ({ owner, recipient }) => ({ body: sessionBody(owner, recipient) }),
    ids: {
      'body.wallet_id': WALLET,
      'body.allowed_recipients': RECIPIENTS,
      'header.Idempotency-Key': IDEMPOTENCY_KEY,
    },
  },
  getSessionById: ofSession(none),
  getSessionByIdBlastRadius: ofSession(none),
  patchSessionById: ofSession(() => ({ body: { daily_cap: 1_000_000_000 } })),
  postSessionByIdRevoke: ofSession(empty),
  postSessionByIdRotateKey: {
    // The caller needs the key of its own session.
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
        unknown: () => Buffer.from('a1.999999').toString('base64url'),
        sameAnswer: false,
        ...TOLD,
      },
    },
  },

  getWebhooks: { call: none },
  postWebhooks: {
    call: () => ({ body: webhookBody() }),
    ids: { 'header.Idempotency-Key': IDEMPOTENCY_KEY },
  },
  getWebhooksById: ofWebhook(none),
  patchWebhooksById: ofWebhook(() => ({ body: { enabled: true } })),
  // The caller needs its own webhook.
  deleteWebhooksById: { ...ofWebhook(none, [404]), call: () => ({ path: { id: newId() } }) },
  postWebhooksByIdRotateSecret: ofWebhook(empty),
  // One in five seconds.
  postWebhooksByIdTest: ofWebhook(empty, [200, 429]),
  getWebhooksByIdDeliveries: {
    ...ofWebhook(none),
    ids: {
      'path.id': WEBHOOK,
      // A place among all deliveries, whose they are: it shows only the caller's own.
      'query.cursor': {
        theirs: () => Buffer.from('w1.1').toString('base64url'),
        unknown: () => Buffer.from('w1.999999').toString('base64url'),
        sameAnswer: false,
        ...TOLD,
      },
    },
  },

  getSpends: {
    call: none,
    ids: {
      'query.session_id': { ...SESSION, ...TOLD },
      'query.cursor': asUnknown(
        ({ spendId }) => cursorAt(spendId),
        () => cursorAt(newId()),
        400,
        'cursor must be a next_cursor of an earlier answer',
      ),
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
      'body.facilitator.fee_payer': FEE_PAYER,
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
