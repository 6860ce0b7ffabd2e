import type { Mutant } from './mutant.ts';

/** Defects of the API that let attackers in; `npm run attack` must notice them. */
export const apiMutants: readonly Mutant[] = [
  // A session is found by its id alone, whatever its owner.
  {
    name: 'any-owners-session',
    file: 'libs/wallet/src/session/find-session.ts',
    find: ' and wallet.owner = ${owner}',
    replace: '',
    noticedBy: ['surface foreign ids'],
  },
  // A webhook is found by its id alone, whatever its wallet.
  {
    name: 'any-owners-webhook',
    file: 'libs/webhook/src/endpoint/find-webhooks.ts',
    find: ' and endpoint.wallet_id = ${walletId}::uuid\n  `',
    replace: ' and ${walletId}::uuid is not null\n  `',
    noticedBy: ['surface foreign ids'],
  },
  // The log of a wallet has the rows of all wallets.
  {
    name: 'any-owners-log',
    file: 'libs/audit/src/list.ts',
    find: 'beforeSeq }: AuditPage) {\n  const places = [sql.fragment`wallet_id = ${walletId}::uuid`];\n  if (beforeSeq',
    replace:
      'beforeSeq }: AuditPage) {\n  const places = [sql.fragment`${walletId}::uuid is not null`];\n  if (beforeSeq',
    noticedBy: ['surface foreign ids'],
  },
  // An agent lists the spends of all sessions of its wallet.
  {
    name: 'any-sessions-spends',
    file: 'apps/api/src/routes/both/spends.ts',
    find: "if (caller.kind === 'agent') return caller.agent;",
    replace: "if (caller.kind === 'agent') return { walletId: caller.agent.walletId };",
    noticedBy: ['surface foreign ids'],
  },
  // A session is created in any wallet that the body names.
  {
    name: 'any-wallet-id',
    file: 'apps/api/src/session/create-session.ts',
    find: '|| wallet.walletId !== body.wallet_id',
    replace: '',
    noticedBy: ['surface foreign ids'],
  },
  // A spend is shown to every agent that knows its id.
  {
    name: 'any-agents-spend',
    file: 'apps/api/src/routes/agent/spend.ts',
    find: '|| spend.sessionId !== agents.agentOf(request).sessionId',
    replace: '',
    noticedBy: ['surface foreign ids'],
  },
  // An Idempotency-Key is looked up in all sessions.
  {
    name: 'any-agents-idempotency-key',
    file: 'libs/spend/src/accept/read-request-facts.ts',
    find: 'left join spend on spend.session_id = asked.session_id',
    replace: 'left join spend on true',
    noticedBy: ['surface foreign ids'],
  },
  // The signature of the owner's cookie is not verified.
  {
    name: 'any-cookie',
    file: 'apps/api/src/auth/owner-token.ts',
    find: 'const { payload } = await jwtVerify(jwt, key, {',
    replace: "const payload = JSON.parse(Buffer.from(jwt.split('.')[1], 'base64url')); void ({",
    noticedBy: ['surface foreign ids'],
  },
  // A cookie is accepted with the sign-in of another owner.
  {
    name: 'any-sign-in',
    file: 'apps/api/src/auth/sign-in-store.ts',
    find: 'and owner = ${owner}\n',
    replace: '\n',
    noticedBy: ['surface foreign ids'],
  },
  // What the owner signs is good for a year.
  {
    name: 'deadline-of-a-year',
    file: 'libs/chain/src/build/deadlines.ts',
    find: 'OWNER_DEADLINE_MINUTES = 10;',
    replace: 'OWNER_DEADLINE_MINUTES = 525_600;',
    noticedBy: ['surface owner signatures'],
  },
  // The owner's deposit into the reserve never expires.
  {
    name: 'deposit-without-deadline',
    file: 'libs/chain/src/build/owner-transactions.ts',
    find: 'ownerYieldDeposit(program, reserve, owner, amount, deadline())',
    replace: 'ownerYieldDeposit(program, reserve, owner, amount, 2n ** 63n - 1n)',
    noticedBy: ['surface owner signatures'],
  },
  // Pages of every origin may use the owner's cookie.
  {
    name: 'no-origin-check',
    file: 'apps/api/src/auth/authenticate-owner.ts',
    find: 'origin !== undefined && origin !== dashboardOrigin',
    replace: 'origin === dashboardOrigin && false',
    noticedBy: ['surface browser'],
  },
  // Every origin gets the CORS headers.
  {
    name: 'cors-for-everybody',
    file: 'apps/api/src/http/cors.ts',
    find: 'if (request.headers.origin !== dashboardOrigin) return;',
    replace: '',
    noticedBy: ['surface browser'],
  },
  // Scripts can read the owner's cookie.
  {
    name: 'script-readable-cookie',
    file: 'apps/api/src/auth/session-cookie.ts',
    find: 'httpOnly: true,',
    replace: 'httpOnly: false,',
    noticedBy: ['surface browser'],
  },
  // A cookie stays valid after its session has ended.
  {
    name: 'ended-cookies-live',
    file: 'apps/api/src/auth/authenticate-owner.ts',
    find: 'if (!(await isOwnerSessionOpen(deps.db, token.ownerSessionId, token.owner)))',
    replace: 'if (false)',
    noticedBy: ['surface browser'],
  },
  // Responses have no `cache-control: no-store`.
  {
    name: 'answers-for-caches',
    file: 'apps/api/src/http/create-server.ts',
    find: "reply.header('cache-control', 'no-store')",
    replace: 'undefined',
    noticedBy: ['surface browser'],
  },
  // Only the first half of an API key is hashed.
  {
    name: 'hash-of-half-a-key',
    file: 'apps/api/src/auth/api-key.ts',
    find: ".update(apiKey, 'utf8')",
    replace: '.update(apiKey.slice(0, 30))',
    noticedBy: ['surface keys and nonces'],
  },
  // X-Forwarded-For is believed from every client.
  {
    name: 'any-forwarded-address',
    file: 'apps/api/src/http/create-server.ts',
    find: '(_address, hop) => hop < settings.trustedProxies',
    replace: 'true',
    noticedBy: ['surface keys and nonces'],
  },
  // A sign-in nonce is not burned by its use.
  {
    name: 'nonces-serve-twice',
    file: 'apps/api/src/auth/sign-in-store.ts',
    find: 'and used_at is null and expires_at',
    replace: 'and expires_at',
    noticedBy: ['surface keys and nonces'],
  },
  // Signatures are verified by the lenient rules of ZIP 215.
  {
    name: 'lenient-signatures',
    file: 'apps/api/src/auth/verify-signature.ts',
    find: '{ zip215: false }',
    replace: '{ zip215: true }',
    noticedBy: ['surface keys and nonces'],
  },
  // A rotated API key stays valid.
  {
    name: 'rotated-keys-live',
    file: 'apps/api/src/auth/authenticate-agent.ts',
    find: 'if (agent.keyRevoked)',
    replace: 'if (false)',
    noticedBy: ['surface keys and nonces'],
  },
  // Node parses HTTP leniently.
  {
    name: 'lenient-http',
    file: 'apps/api/src/http/create-server.ts',
    find: 'http: {',
    replace: 'http: { insecureHTTPParser: true,',
    noticedBy: ['surface requests'],
  },
  // A malformed request is refused before earlier ones on its connection are answered.
  {
    name: 'answers-out-of-turn',
    file: 'apps/api/src/http/broken-request.ts',
    find: '|| isAwaited)',
    replace: ')',
    noticedBy: ['surface requests'],
  },
  // JSON bodies may name `__proto__` and `constructor`.
  {
    name: 'prototypes-from-bodies',
    file: 'apps/api/src/http/json-body.ts',
    find: "getDefaultJsonParser('error', 'error')",
    replace: "getDefaultJsonParser('ignore', 'ignore')",
    noticedBy: ['surface requests'],
  },
  // Bodies may have up to 1 GiB.
  {
    name: 'unbounded-bodies',
    file: 'apps/api/src/http/create-server.ts',
    find: 'BODY_LIMIT_BYTES = 64 * 1024',
    replace: 'BODY_LIMIT_BYTES = 2 ** 30',
    noticedBy: ['surface requests'],
  },
  // The spelling of the path decides whether the owner has to be authenticated.
  {
    name: 'auth-by-path',
    file: 'apps/api/src/auth/authenticate-owner.ts',
    find: 'const jwt = request.cookies[SESSION_COOKIE];',
    replace:
      "if (!request.url.startsWith('/v1/')) return; const jwt = request.cookies[SESSION_COOKIE];",
    noticedBy: ['surface requests'],
  },
  // The pattern of a header backtracks exponentially.
  {
    name: 'slow-pattern',
    file: 'apps/api/src/spend/spend-headers.ts',
    find: '/^[\\x21-\\x7e]{1,255}$/',
    replace: '/^([\\x21-\\x7e]+)+$/',
    noticedBy: ['surface requests'],
  },
  // An accepted spend reserves no money: the next one counts on the same.
  {
    name: 'reservations-hold-nothing',
    file: 'apps/api/src/spend/accept/accept-when-liquid.ts',
    find: 'isWithdrawal || isPredicted ? 0n : amount',
    replace: '0n',
    noticedBy: ['surface races'],
  },
  // The money of open spends is promised again.
  {
    name: 'open-spends-hold-nothing',
    file: 'migrations/0028_open_offers.sql',
    find: 'wanted.liquid - open_reserved - landed_reserved',
    replace: 'wanted.liquid - landed_reserved',
    noticedBy: ['surface races'],
  },
  // An Idempotency-Key is validated and then dropped.
  {
    name: 'keys-count-for-nothing',
    file: 'apps/api/src/spend/spend-headers.ts',
    find: '.test(key)) return key;',
    replace: '.test(key)) return null;',
    noticedBy: ['surface races'],
  },
  // Two sessions that are created at once take the same session key.
  {
    name: 'session-keys-for-two',
    file: 'libs/wallet/src/session/insert-session.ts',
    find: 'limit 1 for update skip locked',
    replace: 'limit 1',
    noticedBy: ['surface races'],
  },
  // An agent takes out as many transactions as it likes and holds the money of all.
  {
    name: 'hand-out-any-number',
    file: 'migrations/0028_open_offers.sql',
    find: 'most_handed_out constant integer := 16;',
    replace: 'most_handed_out constant integer := 1000;',
    noticedBy: ['surface races'],
  },
  // A key gives the transaction of one offer to the request for another one.
  {
    name: 'offers-are-one-request',
    file: 'apps/api/src/spend/answer/answer-spend.ts',
    find: '[kind, amount.toString(), recipient, url, ...sender]',
    replace: '[kind, amount.toString(), recipient, url]',
    noticedBy: ['surface races'],
  },
  // A transaction whose fee our own fee payer would pay leaves the service.
  {
    name: 'our-fee-payers-pay-for-others',
    file: 'apps/tx-worker/src/sign/sign-for-facilitator.ts',
    find: 'return isOurFeePayer(feePayer) ?',
    replace: 'return isOurFeePayer(feePayer) && false ?',
    noticedBy: ['surface races'],
  },
  // The owner's URL allowlist allows every URL.
  {
    name: 'any-url',
    file: 'apps/api/src/spend/judge-url.ts',
    find: 'const most = maxPerCall(allowlist, url);',
    replace: "return { kind: 'allowed' };",
    noticedBy: ['surface races'],
  },
  // The API key of each request is logged.
  {
    name: 'keys-in-logs',
    file: 'apps/api/src/auth/authenticate-agent.ts',
    find: 'const token = readBearer(request.headers.authorization, deps.keyPrefix);',
    replace:
      "const token = readBearer(request.headers.authorization, deps.keyPrefix); request.log.info({ token }, 'agent');",
    noticedBy: ['surface secrets'],
  },
  // A request is logged with its whole URL, query included.
  {
    name: 'whole-urls-in-logs',
    file: 'apps/api/src/http/create-server.ts',
    find: '{ req: describeRequest }',
    replace: '{}',
    noticedBy: ['surface secrets'],
  },
  // API keys are stored in plain text.
  {
    name: 'keys-stored-plain',
    file: 'apps/api/src/auth/api-key.ts',
    find: "return createHmac('sha256', pepper).update(apiKey, 'utf8').digest();",
    replace: 'return Buffer.from(apiKey);',
    noticedBy: ['surface secrets'],
  },
  // The agent's Authorization header is passed on to the service.
  {
    name: 'headers-for-services',
    file: 'libs/egress/src/headers.ts',
    find: `const OF_OUR_CALLERS = [
  'authorization',`,
    replace: 'const OF_OUR_CALLERS = [',
    noticedBy: ['surface secrets'],
  },
  // Input that violates its schema gets the answer of an internal fault.
  {
    name: 'faults-for-bad-input',
    file: 'apps/api/src/http/error-handler.ts',
    find: 'if (hasZodFastifySchemaValidationErrors(error)) return badRequest(textOfFirstIssue(error));',
    replace: "if (hasZodFastifySchemaValidationErrors(error)) return refuse('INTERNAL');",
    noticedBy: ['surface schemathesis'],
  },
  // Responses are not checked against their schema, and one of them violates it.
  {
    name: 'unchecked-answers',
    file: 'apps/api/src/http/create-server.ts',
    find: 'app.setSerializerCompiler(serializerCompiler)',
    replace: 'app.setSerializerCompiler(() => (answer) => JSON.stringify(answer))',
    also: [
      {
        file: 'apps/api/src/routes/owner/wallet.ts',
        find: 'mint: chain.usdcMint',
        replace: 'mint: 7',
      },
    ],
    noticedBy: ['surface schemathesis'],
  },
  // A missing resource is answered with a status that the document does not have.
  {
    name: 'undocumented-status',
    file: 'apps/api/src/http/http-refusal.ts',
    find: 'new HttpRefusal(status, body',
    replace: 'new HttpRefusal(status === 404 ? 410 : status, body',
    noticedBy: ['surface schemathesis'],
  },
];
