import { z } from 'zod';
import type { Json } from './json-schema.ts';
import { html, type Html, join, prose } from './page-html.ts';

const parts = z.array(z.record(z.string(), z.unknown())).default([]);
const readable = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: parts,
  oneOf: parts,
  allOf: parts,
  items: z.record(z.string(), z.unknown()).optional(),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).default([]),
  description: z.string().optional(),
  examples: z.array(z.unknown()).default([]),
});

/** The type of a schema in a few words. */
export function typeOf(schema: Json): Html {
  const said = readable.parse(schema);
  if (said.$ref !== undefined) {
    const name = said.$ref.split('/').at(-1) ?? '';
    return html`<a href="#${name}">${name}</a>`;
  }
  const choices = [...said.anyOf, ...said.oneOf, ...said.allOf];
  if (choices.length > 0) return listed(choices.map(typeOf));
  if (said.const !== undefined) return html`<code>${JSON.stringify(said.const)}</code>`;
  if (said.enum !== undefined) {
    return listed(said.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  }
  if (said.items !== undefined) return html`array of ${typeOf(said.items)}`;
  const types = [said.type ?? 'any JSON'].flat().join(' or ');
  return html`${said.format === undefined ? types : `${types} (${said.format})`}`;
}

const listed = (all: readonly Html[]): Html =>
  join(all.map((one, i) => (i === 0 ? one : html` or ${one}`)));

/** Fields and examples of an object, or of each of its forms. */
export function renderFields(schema: Json): Html {
  const said = readable.parse(schema);
  const forms = [...said.oneOf, ...said.anyOf].filter((form) => 'properties' in form);
  return html`${said.description === undefined ? html`` : prose(said.description)}
  ${said.properties === undefined ? join(forms.map(renderFields)) : renderTable(said)}
  ${join(said.examples.map((one) => html`<pre>${JSON.stringify(one, null, 2)}</pre>`))}`;
}

function renderTable({ properties = {}, required }: z.output<typeof readable>): Html {
  const rows = Object.entries(properties).map(
    ([name, field]) =>
      html`<tr>
        <td><code>${name}</code>${required.includes(name) ? '' : ', optional'}</td>
        <td>${typeOf(field)}</td>
        <td>${prose(readable.parse(field).description ?? '')}</td>
      </tr>`,
  );
  return html`<table>
    ${join(rows)}
  </table>`;
}
