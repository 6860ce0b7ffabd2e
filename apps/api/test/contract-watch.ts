import { ERROR_ROWS, type ErrorName } from '@agent-wallet/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

const refusalBody = z.object({
  error: z.string(),
  code: z.string(),
  layer: z.string(),
  retryable: z.boolean(),
});
const response = z.object({
  content: z.record(z.string(), z.object({ schema: z.unknown().optional() })),
  'x-errors': z.array(z.string()).optional(),
});
const operation = z.object({ responses: z.record(z.string(), response) });
const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

/** The document of an app, asked as anybody would. */
export async function readDocument(app: FastifyInstance): Promise<Record<string, unknown>> {
  const answer = await app.inject('/openapi.json');
  return answer.json<Record<string, unknown>>();
}

/**
 * Holds every answer of `app` against its own OpenAPI document: the status is there, the body fits
 * its schema, a refusal is one of those listed, in its words.
 * @returns what did not fit, one sentence each; filled as answers go out
 */
export function watchContract(app: FastifyInstance): readonly string[] {
  const faults: string[] = [];
  let judge: ((request: FastifyRequest, reply: FastifyReply, body: string) => string | null) | null;
  judge = null;
  app.addHook('onSend', async (request, reply, payload) => {
    const type = String(reply.getHeader('content-type') ?? '');
    const isOurs = request.routeOptions.url !== '/openapi.json' && request.method !== 'OPTIONS';
    if (!isOurs || typeof payload !== 'string' || !type.startsWith('application/json')) return;
    judge ??= createJudge(await readDocument(app));
    const fault = judge(request, reply, payload);
    if (fault !== null) faults.push(fault);
  });
  return faults;
}

function createJudge(raw: Record<string, unknown>) {
  const { paths } = document.parse(raw);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema(raw, 'openapi');
  return (request: FastifyRequest, reply: FastifyReply, body: string): string | null => {
    const { url } = request.routeOptions;
    const status = String(reply.statusCode);
    const where = `${request.method} ${url ?? request.url} ${status}`;
    const parsed: unknown = JSON.parse(body);
    if (url === undefined) return judgeRefusal(where, parsed, ['ROUTE_NOT_FOUND']);
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    const method = request.method.toLowerCase();
    const said = paths[path]?.[method]?.responses;
    if (said === undefined) return `${where} is not in the document`;
    const known = said[status];
    // What somebody else answered is passed on as it is.
    if ('default' in said && !refusalBody.safeParse(parsed).success) return null;
    if (known === undefined) return `${where} is not in the document: ${body.slice(0, 200)}`;
    const pointer = ['paths', path, method, 'responses', status, 'content', 'application/json']
      .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
      .map(encodeURIComponent)
      .join('/');
    const validate = ajv.getSchema(`openapi#/${pointer}/schema`);
    if (validate?.(parsed) !== true) {
      return `${where} does not fit: ${ajv.errorsText(validate?.errors)} in ${body.slice(0, 300)}`;
    }
    const rows = known['x-errors'];
    return rows === undefined ? null : judgeRefusal(where, parsed, rows);
  };
}

/** Whether a refusal is one of `names`, with the text, layer and retryable of its row. */
function judgeRefusal(where: string, parsed: unknown, names: readonly string[]): string | null {
  const said = refusalBody.safeParse(parsed);
  if (!said.success) return `${where} is no refusal: ${JSON.stringify(parsed)}`;
  const { error, code, layer, retryable } = said.data;
  if (names.includes(code) && !isRow(code)) return null;
  const name = names.includes(code) ? code : 'PROGRAM';
  if (!names.includes(name) || !isRow(name)) return `${where} lists no ${code} (${error})`;
  const row = ERROR_ROWS[name];
  const varies = row.varies ?? [];
  if (!varies.includes('error') && row.error !== error) return `${where} ${code} says ${error}`;
  if (!varies.includes('layer') && (row.layer ?? 'off-chain') !== layer)
    return `${where} ${code} is of layer ${layer}`;
  if (row.retryable !== null && row.retryable !== retryable) {
    return `${where} ${code} has retryable ${retryable}`;
  }
  return null;
}

const isRow = (name: string): name is ErrorName => name in ERROR_ROWS;
