import { ERROR_ROWS } from '@agent-wallet/contract';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectRoutes } from '../../src/openapi/document.ts';
import { readDocument, watchContract } from '../fixtures/contract-watch.ts';
import { DASHBOARD, startTestApp, type TestApp } from '../fixtures/test-app.ts';

let t: TestApp;
let raw: Record<string, unknown>;
let operations: readonly Operation[];
beforeAll(async () => {
  t = await startTestApp();
  raw = await readDocument(t.app);
  operations = Object.entries(parsed.parse(raw).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ method, path, ...one })),
  );
});
afterAll(() => t[Symbol.asyncDispose]());

const content = z.record(
  z.string(),
  z.object({
    schema: z.record(z.string(), z.unknown()).optional(),
    examples: z.record(z.string(), z.object({ value: z.unknown() })).optional(),
  }),
);
const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content })),
});
const parsed = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });
type Operation = z.output<typeof operation> & { readonly method: string; readonly path: string };

const UNKNOWN_CALLER: Readonly<Record<string, string>> = {
  ownerCookie: 'missing session cookie',
  agentKey: 'missing bearer token',
};

const nameOf = ({ method, path }: Operation) => `${method.toUpperCase()} ${path}`;

/** Method and path of every route in the framework's own drawing of its tree. */
function listRoutes(tree: string): string[] {
  const above: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods = ''] =
      /^(.*?)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    if (part === '') return [];
    above.splice(indent.length / 4, Infinity, part);
    const path = above.join('').replaceAll(/:(\w+)/g, '{$1}');
    const names = methods.split(', ').filter((name) => !['', 'HEAD', 'OPTIONS'].includes(name));
    return names.map((name) => `${name} ${path}`);
  });
}

/** Of the schema itself, or of the component that it refers to. */
function examplesOf(schema: Record<string, unknown>): unknown[] {
  const { $ref: ref } = schema;
  if (Array.isArray(schema['examples'])) return schema['examples'];
  if (typeof ref !== 'string') return [];
  const components = z
    .object({
      components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
    })
    .parse(raw).components.schemas;
  return examplesOf(components[ref.split('/').at(-1) ?? ''] ?? {});
}

describe('GET /openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(raw));
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('holds every route that the app has, and no other', () => {
    const served = listRoutes(t.app.printRoutes({ commonPrefix: false }));
    expect(operations.map(nameOf).toSorted()).toEqual(served.toSorted());
    expect(served.length).toBeGreaterThan(25);
  });

  it('describes itself as an object, not a string', () => {
    const [self] = operations.filter(({ path }) => path === '/openapi.json');
    const said = self?.responses['200']?.content['application/json']?.schema;
    expect(said).toMatchObject({ type: 'object', required: ['openapi'] });
  });

  it('names each operation once', () => {
    expect(new Set(operations.map((one) => one.operationId)).size).toBe(operations.length);
  });

  it('states the authentication of every operation correctly', async () => {
    for (const one of operations) {
      const [scheme] = one.security.flatMap((each) => Object.keys(each));
      const url = one.path.replaceAll(/\{\w+\}/g, 'x');
      const method = z
        .enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        .parse(one.method.toUpperCase());
      const answer = await t.app.inject({ method, url });
      const error = answer.headers['content-type']?.toString().startsWith('application/json')
        ? answer.json<{ error?: string }>().error
        : undefined;
      const isRefused = answer.statusCode === 401;
      expect([nameOf(one), isRefused, isRefused ? error : undefined]).toEqual([
        nameOf(one),
        scheme !== undefined,
        scheme === undefined ? undefined : UNKNOWN_CALLER[scheme],
      ]);
    }
  });

  it('allows the dashboard to call owner operations and what comes before sign-in only', async () => {
    for (const one of operations) {
      const isOwners = one.security.some((each) => 'ownerCookie' in each);
      const isBefore = one.tags.some((tag) => tag === 'Sign-in' || tag === 'Configuration');
      const url = one.path.replaceAll(/\{\w+\}/g, 'x');
      const headers = { origin: DASHBOARD };
      const preflight = await t.app.inject({ method: 'OPTIONS', url, headers });
      const allowed = (preflight.headers['access-control-allow-methods'] ?? '').split(', ');
      const isAllowed = preflight.statusCode === 204 && allowed.includes(one.method.toUpperCase());
      expect([nameOf(one), isAllowed]).toEqual([nameOf(one), isOwners || isBefore]);
    }
  });

  it('has an example of every body and of every JSON answer, and each fits its schema', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(raw, 'openapi');
    for (const one of operations) {
      const places: [string, z.output<typeof content>][] = Object.entries(one.responses).map(
        ([status, said]) => [`responses/${status}`, said.content],
      );
      if (one.requestBody !== undefined) places.push(['requestBody', one.requestBody.content]);
      for (const [place, said] of places) {
        const json = said['application/json'];
        if (json?.schema === undefined || json.schema['type'] === 'string') continue;
        const pointer = `paths/${one.path.replaceAll('/', '~1')}/${one.method}/${place}/content/application~1json/schema`;
        const validate = ajv.getSchema(
          `openapi#/${pointer.split('/').map(encodeURIComponent).join('/')}`,
        );
        const examples = [
          ...examplesOf(json.schema),
          ...Object.values(json.examples ?? {}).map((each) => each.value),
        ];
        expect([nameOf(one), place, examples.length > 0]).toEqual([nameOf(one), place, true]);
        for (const example of examples) {
          void validate?.(example);
          expect([nameOf(one), place, validate?.errors ?? null]).toEqual([
            nameOf(one),
            place,
            null,
          ]);
        }
      }
    }
  });

  it('lists each refusal somewhere', () => {
    const text = JSON.stringify(raw);
    for (const name of Object.keys(ERROR_ROWS)) expect(text).toContain(`"${name}"`);
  });

  it('leaves out what is switched off', async () => {
    await using plain = await startTestApp({ agentExtensions: false });
    const { paths } = parsed.parse(await readDocument(plain.app));
    for (const path of ['/v1/services', '/v1/agent/limits', '/v1/spend/quote']) {
      expect(paths).not.toHaveProperty([path]);
    }
    expect(paths).toHaveProperty(['/v1/spend/transfer']);
  });

  it('shows ids of spends as guids, whatever their version bits', () => {
    const text = JSON.stringify(raw);
    expect(text).toContain('"spend_id":{"type":"string","format":"uuid"}');
  });
});

describe('GET /docs', () => {
  it('is a page without inline script, with everything from its own origin', async () => {
    const page = await t.app.inject('/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; ");
    expect(policy).not.toMatch(/https?:|script-src[^;]*unsafe/);
    const scripts = [...page.body.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)];
    expect(scripts.map(([, attributes, text]) => [attributes, text])).toEqual([
      [' src="/docs/reference.js"', ''],
    ]);
    expect(page.body).not.toMatch(/https?:|javascript:| on\w+=/);
    expect(page.body).toContain('&quot;url&quot;:&quot;/openapi.json&quot;');
  });

  it('serves the script of the page', async () => {
    const script = await t.app.inject('/docs/reference.js');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.body).toContain('data-configuration');
    expect((await t.app.inject('/docs/reference.js')).rawPayload).toEqual(script.rawPayload);
  });
});

it('refuses to start with a route without a description', () => {
  const app = Fastify();
  const describeApp = collectRoutes(app, '1');
  app.get('/v1/secret', async () => ({}));
  expect(() => describeApp()).toThrow('no config.doc: GET /v1/secret');
});

describe('the contract check of these tests', () => {
  const refusal = { error: 'x', code: 'INVALID_API_KEY', layer: 'off-chain', retryable: false };
  it.each([
    ['an undocumented status', 418, refusal, /418 is not in the document/],
    ['a body that does not fit', 200, { liquid: 1 }, /200 does not fit/],
    ['a refusal without its fields', 401, { error: 'x' }, /401 does not fit/],
    ['a text that is not of the contract', 401, refusal, /INVALID_API_KEY says x/],
    [
      'a code that is not listed',
      401,
      { ...refusal, code: 'INVALID_NONCE', error: 'invalid nonce' },
      /lists no INVALID_NONCE/,
    ],
    [
      'the wrong layer',
      401,
      { ...refusal, error: 'invalid api key', layer: 'on-chain' },
      /is of layer on-chain/,
    ],
    [
      'the wrong advice to retry',
      401,
      { ...refusal, error: 'invalid api key', retryable: true },
      /has retryable true/,
    ],
  ])('notices %s', async (_, status, body, expected) => {
    const app = Fastify();
    app.get('/openapi.json', async () => raw);
    const faults = watchContract(app);
    app.get('/v1/yield/position', async (_request, reply) => reply.code(status).send(body));
    await app.inject('/v1/yield/position');
    expect(faults).toEqual([expect.stringMatching(expected)]);
    await app.close();
  });

  it('notices a header that is not described', async () => {
    const app = Fastify();
    app.get('/openapi.json', async () => raw);
    const faults = watchContract(app);
    app.get('/livez', async (_request, reply) =>
      reply.header('x-tx-signature', 'x').send({ status: 'ok' }),
    );
    await app.inject('/livez');
    expect(faults).toEqual([expect.stringMatching(/does not describe its header x-tx-signature/)]);
    await app.close();
  });
});
