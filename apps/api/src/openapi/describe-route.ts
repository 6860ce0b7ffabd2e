import { ERROR_ROWS, type ErrorName, refusal } from '@agent-wallet/contract';
import type { RouteOptions } from 'fastify';
import { z } from 'zod';
import { type Components, type Json, toJsonSchema } from './json-schema.ts';
import type { Caller, RouteDoc } from './route-doc.ts';

const OF_OWNERS: readonly ErrorName[] = ['MISSING_SESSION_COOKIE', 'INVALID_JWT', 'RATE_LIMITED'];
const OF_AGENTS: readonly ErrorName[] = [
  'MISSING_BEARER_TOKEN',
  'INVALID_TOKEN_FORMAT',
  'INVALID_API_KEY',
  'API_KEY_REVOKED',
  'SESSION_REVOKED',
  'RATE_LIMITED',
];
const OF_CALLER: Readonly<Record<Caller, readonly ErrorName[]>> = {
  anybody: [],
  owner: OF_OWNERS,
  agent: OF_AGENTS,
  'owner or agent': [...OF_OWNERS, ...OF_AGENTS],
};
const OF_BODY: readonly ErrorName[] = ['BAD_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
const OF_SPENDING: readonly ErrorName[] = [
  'BAD_REQUEST',
  'IDEMPOTENCY_KEY_REUSED',
  'OUTSIDE_TIME_WINDOW',
  'INSUFFICIENT_LIQUID',
  'PROGRAM',
  'TOO_MANY_PENDING',
  'TOO_MANY_REFUSALS',
  'FEE_BUDGET_EXCEEDED',
  'REVERT_BUDGET_EXCEEDED',
  'RPC_UNAVAILABLE',
  'RECOVERING',
  'EXPIRED_UNSENT',
  'NEVER_LANDED',
  'FORKED_OUT',
];
const FAULTS: readonly ErrorName[] = ['DATABASE_UNAVAILABLE', 'SERVER_MISCONFIGURED', 'INTERNAL'];

const SECURITY: Readonly<Record<Caller, readonly Json[]>> = {
  anybody: [],
  owner: [{ ownerCookie: [] }],
  agent: [{ agentKey: [] }],
  'owner or agent': [{ ownerCookie: [] }, { agentKey: [] }],
};

/** A registered route with its documentation. */
export type DocumentedRoute = {
  readonly method: string;
  /** As registered: `/v1/session/:id`. */
  readonly url: string;
  readonly schema: NonNullable<RouteOptions['schema']>;
  readonly doc: RouteDoc;
};

/** The operation object of one route. */
export function describeRoute(route: DocumentedRoute, components: Components): Json {
  const { doc, schema } = route;
  const parameters = describeParameters(route, components);
  return {
    operationId: operationIdOf(route),
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.description === undefined ? {} : { description: doc.description }),
    security: SECURITY[doc.caller],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(schema.body instanceof z.ZodType
      ? { requestBody: describeBody(schema.body, components) }
      : {}),
    responses: {
      ...describeAnswers(route, components),
      ...describeRefusals(route, components),
      ...(doc.passesOn === undefined ? {} : { default: describePassedOn(doc.passesOn) }),
    },
  };
}

/** Every refusal that the route can return, ordered by status. */
function errorsOf({ method, schema, doc }: DocumentedRoute): ErrorName[] {
  const names = new Set<ErrorName>([...OF_CALLER[doc.caller], ...(doc.errors ?? [])]);
  const add = (more: readonly ErrorName[]): void => more.forEach((name) => names.add(name));
  if (doc.caller === 'owner' && method !== 'GET') names.add('ORIGIN_NOT_ALLOWED');
  if (schema.body !== undefined) add(OF_BODY);
  if (schema.querystring !== undefined) names.add('BAD_REQUEST');
  if (doc.movesMoney === true) add(OF_SPENDING);
  if (doc.caller !== 'anybody') add(FAULTS);
  return [...names].toSorted((a, b) => ERROR_ROWS[a].status - ERROR_ROWS[b].status);
}

function describeParameters({ schema, doc }: DocumentedRoute, components: Components): Json[] {
  return [
    ...parametersOf('path', schema.params, components),
    ...parametersOf('query', schema.querystring, components),
    ...(doc.movesMoney === true
      ? [
          { $ref: '#/components/parameters/IdempotencyKey' },
          { $ref: '#/components/parameters/Prefer' },
        ]
      : []),
    ...(doc.createsOnce === true ? [{ $ref: '#/components/parameters/CreationKey' }] : []),
  ];
}

function parametersOf(place: 'path' | 'query', schema: unknown, components: Components): Json[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const inputs: readonly (readonly [string, z.ZodType])[] = Object.entries(schema.shape);
  return inputs.map(([name, field]) => {
    const { description, ...said } = toJsonSchema(field, 'input', components);
    return {
      in: place,
      name,
      required: place === 'path' || !field.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: said,
    };
  });
}

function describeBody(body: z.ZodType, components: Components): Json {
  const schema = toJsonSchema(body, 'input', components);
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema } },
  };
}

/** The responses of success. Refusals are described from their error rows. */
function describeAnswers({ schema, doc }: DocumentedRoute, components: Components): Json {
  const { produces } = doc;
  if (produces !== undefined) {
    const content = { [produces]: { schema: { type: 'string' } } };
    return { 200: { description: doc.summary, content } };
  }
  const answers = Object.entries(schema.response ?? {}).filter(([, said]) => said !== refusal);
  return Object.fromEntries(
    answers.map(([status, said]) => {
      if (!(said instanceof z.ZodType)) throw new Error(`answers of ${doc.summary} have no schema`);
      const answer = toJsonSchema(said, 'output', components);
      return [
        status,
        {
          description: said.description ?? doc.summary,
          ...describeHeaders(doc, status),
          content: { 'application/json': { schema: answer } },
        },
      ];
    }),
  );
}

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` });
const QUOTA = {
  RateLimit: headerRef('RateLimit'),
  'RateLimit-Policy': headerRef('RateLimitPolicy'),
};

/** The headers of a success. */
function describeHeaders({ caller }: RouteDoc, status: string): Json {
  const headers = {
    ...(status === '202' ? { Location: headerRef('Location') } : {}),
    ...(caller === 'anybody' ? {} : QUOTA),
  };
  return Object.keys(headers).length === 0 ? {} : { headers };
}

/** What a service answered, with what was paid for it. */
const describePassedOn = (description: string): Json => ({
  description,
  headers: {
    'X-Tx-Signature': headerRef('TxSignature'),
    'X-Spend-Id': headerRef('SpendId'),
    ...QUOTA,
  },
  content: { '*/*': {} },
});

/** Refusals of a call that is paid. */
const PAID: ReadonlySet<ErrorName> = new Set(['SERVICE_DID_NOT_DELIVER', 'ANSWER_NOT_FOUND']);

/** The headers of a refusal. Quotas are counted per caller, who is unknown in a 401. */
function headersOfRefusal({ caller }: RouteDoc, status: number, rows: readonly ErrorName[]): Json {
  return {
    ...(status === 429 || status === 503 ? { 'Retry-After': headerRef('RetryAfter') } : {}),
    ...(rows.some((name) => PAID.has(name)) ? { 'X-Tx-Signature': headerRef('TxSignature') } : {}),
    ...(caller === 'anybody' || status === 401 ? {} : QUOTA),
  };
}

function describeRefusals(route: DocumentedRoute, components: Components): Json {
  const names = errorsOf(route);
  const schema = toJsonSchema(refusal, 'output', components);
  const responses: Record<string, Json> = {};
  for (const status of new Set(names.map((name) => ERROR_ROWS[name].status))) {
    const rows = names.filter((name) => ERROR_ROWS[name].status === status);
    responses[status] = {
      description: rows.map((name) => sentenceOf(name)).join('\n'),
      headers: headersOfRefusal(route.doc, status, rows),
      content: {
        'application/json': {
          schema,
          examples: Object.fromEntries(rows.map((name) => [name, { value: exampleOf(name) }])),
        },
      },
      'x-errors': rows,
    };
  }
  return responses;
}

function sentenceOf(name: ErrorName): string {
  const { error, when, varies = [] } = ERROR_ROWS[name];
  return `- ${varies.includes('error') ? 'for example ' : ''}\`${error}\`: ${when}`;
}

function exampleOf(name: ErrorName): Json {
  const { error, layer = 'off-chain', retryable, detail, remedy, example } = ERROR_ROWS[name];
  return {
    error,
    code: name,
    layer,
    retryable: retryable ?? true,
    ...example,
    ...(detail === undefined ? {} : { detail }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `PUT /v1/session/:id/recipients` is `putSessionByIdRecipients`. */
function operationIdOf({ method, url }: DocumentedRoute): string {
  const words = url
    .split(/[/.-]/)
    .filter((part) => part !== '' && part !== 'v1')
    .map((part) => (part.startsWith(':') ? `By-${part.slice(1)}` : part));
  const name = words.flatMap((word) => word.split('-')).map((word) => capital(word));
  return `${method.toLowerCase()}${name.join('')}`;
}
