import { z } from 'zod';
import type { Api } from '../../support/http/http-owner.ts';

export type Caller = 'owner' | 'agent' | 'anybody';

/** One operation of `/openapi.json`, once for each of its callers. */
export type Operation = {
  readonly operationId: string;
  readonly method: string;
  /** With parameters in braces, such as `{id}`. */
  readonly path: string;
  readonly caller: Caller;
  /** Whether owners and agents may call it. */
  readonly isForBoth: boolean;
  /** All inputs: `path.id`, `query.cursor`, `body.url_allowlist.pattern`. */
  readonly inputs: readonly string[];
  /** A valid body; undefined when the operation has none. */
  readonly example: unknown;
};

const schema = z.record(z.string(), z.unknown());
const parameter = z.union([
  z.object({ $ref: z.string() }),
  z.object({ in: z.string(), name: z.string() }),
]);
const bodySchema = z.object({ content: z.record(z.string(), z.object({ schema })) }).optional();
const examples = z.array(z.unknown()).default([]);
const document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        security: z.array(z.record(z.string(), z.unknown())),
        parameters: z.array(parameter).default([]),
        requestBody: bodySchema,
      }),
    ),
  ),
  components: z.object({
    parameters: z.record(z.string(), z.object({ in: z.string(), name: z.string() })),
    schemas: z.record(z.string(), schema),
  }),
});

type Document = z.output<typeof document>;
type Body = z.output<typeof bodySchema>;

/** Reads the operations of a running API from its document. */
export async function readOperations(api: Api): Promise<readonly Operation[]> {
  const response = await fetch(`${api.urls.api}/openapi.json`);
  const whole = document.parse(await response.json());
  return Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, one]) => {
      const callers = callersOf(one.security);
      return callers.map((caller) => ({
        operationId: one.operationId,
        method: method.toUpperCase(),
        path,
        caller,
        isForBoth: callers.length > 1,
        inputs: [
          ...one.parameters.map((each) => nameOf(each, whole)),
          ...Object.values(one.requestBody?.content ?? {}).flatMap((content) =>
            fieldsOf(content.schema, 'body', whole),
          ),
        ],
        example: exampleOf(one.requestBody),
      }));
    }),
  );
}

function callersOf(security: readonly Readonly<Record<string, unknown>>[]): readonly Caller[] {
  const schemes = security.flatMap((each) => Object.keys(each));
  const callers: readonly Caller[] = [
    ...(schemes.includes('ownerCookie') ? (['owner'] as const) : []),
    ...(schemes.includes('agentKey') ? (['agent'] as const) : []),
  ];
  return callers.length === 0 ? ['anybody'] : callers;
}

const exampleOf = (requestBody: Body): unknown =>
  requestBody &&
  (examples.parse(requestBody.content['application/json']?.schema['examples'])[0] ?? {});

function nameOf(one: z.output<typeof parameter>, { components }: Document): string {
  const found = '$ref' in one ? components.parameters[lastOf(one.$ref)] : one;
  if (found === undefined) throw new Error('the document has no such parameter');
  return `${found.in}.${found.name}`;
}

/** Returns the paths of all properties of a schema, those of its combinations included. */
function fieldsOf(value: unknown, path: string, whole: Document): string[] {
  const parsed = schema.safeParse(value);
  if (!parsed.success) return [];
  const { $ref: ref, properties, items, oneOf, anyOf, allOf } = parsed.data;
  if (typeof ref === 'string') return fieldsOf(whole.components.schemas[lastOf(ref)], path, whole);
  const own = Object.entries(schema.safeParse(properties).data ?? {}).flatMap(([name, field]) => [
    `${path}.${name}`,
    ...fieldsOf(field, `${path}.${name}`, whole),
  ]);
  const others = [items, oneOf, anyOf, allOf].flat();
  return [...new Set([...own, ...others.flatMap((other) => fieldsOf(other, path, whole))])];
}

const lastOf = (ref: string): string => ref.split('/').at(-1) ?? '';
