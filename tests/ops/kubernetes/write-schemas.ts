import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
const json: z.ZodType<Json> = z.json();

const documentSchema = z.object({ definitions: z.record(z.string(), z.record(z.string(), json)) });
type Definitions = z.output<typeof documentSchema>['definitions'];
const kindsSchema = z.array(z.object({ group: z.string(), kind: z.string(), version: z.string() }));

/** What the API server takes as text or as a number. */
const SCALARS: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': ['string', 'integer'],
  'io.k8s.apimachinery.pkg.api.resource.Quantity': ['string', 'number'],
};
const REFERENCE = '#/definitions/';

/**
 * Writes one JSON schema for each kind from the OpenAPI document of Kubernetes, as kubeconform reads
 * them. Unlike the API server, a schema refuses fields that it does not know.
 */
export async function writeSchemas(openApiFile: string, folder: string): Promise<void> {
  const text = await readFile(openApiFile, 'utf8');
  const { definitions } = documentSchema.parse(JSON.parse(text));
  await mkdir(folder, { recursive: true });
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = kindsSchema.safeParse(definition['x-kubernetes-group-version-kind']);
    if (!kinds.success || definition['properties'] === undefined) continue;
    const schema = JSON.stringify({
      $ref: `${REFERENCE}${name}`,
      definitions: closureOf(name, definitions),
    });
    for (const { group, kind, version } of kinds.data) {
      // kubeconform names a schema by the first part of the group alone.
      const [part = ''] = group.split('.');
      const file = `${[kind, part, version].filter((word) => word !== '').join('-')}.json`;
      await writeFile(join(folder, file.toLowerCase()), schema);
    }
  }
}

/** A definition and all that it refers to. */
function closureOf(name: string, definitions: Definitions): Definitions {
  const found: Definitions = {};
  const wanted = [name];
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    if (found[next] !== undefined) continue;
    found[next] = strict(next, definitions[next] ?? {});
    const references = JSON.stringify(found[next]).matchAll(/"#\/definitions\/([^"]+)"/g);
    wanted.push(...[...references].map(([, reference = '']) => reference));
  }
  return found;
}

function strict(name: string, definition: Definitions[string]): Definitions[string] {
  const scalar = SCALARS[name];
  if (scalar !== undefined) return { type: scalar };
  const isOpen =
    definition['properties'] === undefined || definition['additionalProperties'] !== undefined;
  return isOpen ? definition : { ...definition, additionalProperties: false };
}
