import { z } from 'zod';

/** A JSON Schema, or a part of an OpenAPI document: plain JSON. */
export type Json = { readonly [key: string]: unknown };

/** Named schemas, by name. */
export type Components = Map<string, Json>;

const DEFS = '#/$defs/';
/** Patterns that only repeat a format. */
const FORMATS = new Set(['date-time', 'uuid']);

/**
 * The JSON Schema of a Zod schema, in the dialect of OpenAPI 3.1, for input or for
 * output. Schemas with an id are moved to `components` and referenced.
 */
export function toJsonSchema(
  schema: z.ZodType,
  io: 'input' | 'output',
  components: Components,
): Json {
  const {
    $schema: _dialect,
    $defs,
    ...root
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Zod omits them where input is transformed; these are examples of the input.
      const examples = z.globalRegistry.get(zodSchema)?.['examples'];
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      if (FORMATS.has(jsonSchema.format ?? '')) delete jsonSchema.pattern;
      // Not a registered format; contentEncoding has the information.
      if (jsonSchema.format === 'base64') delete jsonSchema.format;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  for (const [name, definition] of Object.entries($defs ?? {})) {
    components.set(name, withComponentRefs(definition));
  }
  return withComponentRefs(root);
}

function withComponentRefs(value: object): Json {
  const text = JSON.stringify(value);
  const moved: unknown = JSON.parse(text, (key, inner: unknown) =>
    key === '$ref' && typeof inner === 'string' && inner.startsWith(DEFS)
      ? `#/components/schemas/${inner.slice(DEFS.length)}`
      : inner,
  );
  return anyObject.parse(moved);
}

const anyObject = z.record(z.string(), z.unknown());
