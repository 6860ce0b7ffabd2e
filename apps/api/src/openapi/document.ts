import type { FastifyInstance } from 'fastify';
import { describeRoute, type DocumentedRoute } from './describe-route.ts';
import type { Components, Json } from './json-schema.ts';
import { TAGS } from './route-doc.ts';

const DESCRIPTION = [
  'An agent spends USDC within limits that the owner of the money sets.',
  '',
  'Amounts are integers in USDC base units (1 000 000 is 1 USDC): as a JSON number up to 2^53, above',
  'as a decimal string. Times are unix seconds unless they are ISO text. Every answer that is not a',
  'success is a Refusal: its HTTP status together with `error` is the contract, `code` is finer and',
  'stable. A path that does not exist is 404 `route not found`, another method of a path 405',
  '`method not allowed` with Allow; what cannot be read as HTTP is 400, 408 or 431 in the same form.',
  'HEAD is GET without the body. Every answer has `x-request-id`.',
].join('\n');

/**
 * Collects every route that is registered on `app` after this. The returned function creates the
 * OpenAPI 3.1 document of these routes; it throws for a route without `config.doc`.
 */
export function collectRoutes(app: FastifyInstance, version: string): () => Json {
  const routes: DocumentedRoute[] = [];
  const undocumented: string[] = [];
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    for (const name of [method].flat()) {
      // HEAD is GET without its body.
      if (name === 'OPTIONS' || name === 'HEAD') continue;
      const doc = config?.doc;
      if (doc === undefined) undocumented.push(`${name} ${url}`);
      else routes.push({ method: name, url, schema: schema ?? {}, doc });
    }
  });
  return () => {
    if (undocumented.length > 0) throw new Error(`no config.doc: ${undocumented.join(', ')}`);
    return buildDocument(routes, version);
  };
}

function buildDocument(routes: readonly DocumentedRoute[], version: string): Json {
  const components: Components = new Map();
  const paths: Record<string, Record<string, Json>> = {};
  const order = Object.keys(TAGS);
  const sorted = routes.toSorted((a, b) => order.indexOf(a.doc.tag) - order.indexOf(b.doc.tag));
  for (const route of sorted) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: describeRoute(route, components),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Spending Wallet',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        ownerCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_session',
          description: 'Set by POST /v1/auth/siws; twelve hours.',
        },
        agentKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The api_key of a session: svc_dev_… on devnet, svc_test_… on testnet, svc_prod_… on mainnet.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => a.localeCompare(b))),
    },
  };
}

const SAMPLE_SIGNATURE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';

const PARAMETERS = {
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description:
      'The same key with the same request returns the same spend; it is never paid twice. Once the spend was signed, it keeps the key for ever, also when it is refused: then a retry needs a new key.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: 'invoice-2031',
  },
  CreationKey: {
    in: 'header',
    name: 'Idempotency-Key',
    required: false,
    description:
      'The same key with the same request returns what the first one created and creates nothing else, without the secret that is shown once. A session comes with a new transaction while the owner has none on chain.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    example: 'agent-7',
  },
  Prefer: {
    in: 'header',
    name: 'Prefer',
    required: false,
    description:
      '`wait=N` waits up to N seconds (0 to 60, 30 without) for the outcome; `respond-async` does not wait.',
    schema: { type: 'string' },
    example: 'wait=10',
  },
};

const HEADERS = {
  Location: {
    description: 'URL of the spend.',
    schema: { type: 'string' },
    example: '/v1/spend/0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57',
  },
  TxSignature: {
    description: 'Signature of the payment; absent when nothing was paid.',
    schema: { type: 'string' },
    example: SAMPLE_SIGNATURE,
  },
  SpendId: {
    description: 'The spend of the payment; absent when nothing was paid.',
    schema: { type: 'string', format: 'uuid' },
    example: '0190f5a4-7d3c-8e21-a6b4-2f9c0d1e3a57',
  },
  RateLimitPolicy: {
    description: 'Requests per window in seconds, of the session or of the owner.',
    schema: { type: 'string' },
    example: '"session";q=500;w=5',
  },
  RateLimit: {
    description: 'Requests that are left, and the seconds until there are more.',
    schema: { type: 'string' },
    example: '"session";r=499;t=1',
  },
  RetryAfter: { description: 'Seconds.', schema: { type: 'integer', minimum: 0 }, example: 1 },
};
