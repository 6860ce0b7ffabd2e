import { z } from 'zod';
import type { Json } from './json-schema.ts';
import { renderFields, typeOf } from './page-schema.ts';
import { html, type Html, join, prose, raw } from './page-html.ts';

const anyJson = z.record(z.string(), z.unknown());
const content = z.record(z.string(), z.object({ schema: anyJson.optional() }));
const operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  security: z.array(anyJson),
  parameters: z.array(anyJson).default([]),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content })),
});
const shape = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    parameters: z.record(z.string(), anyJson),
    schemas: z.record(z.string(), anyJson),
  }),
});

type Shape = z.output<typeof shape>;
type Operation = z.output<typeof operation> & { readonly method: string; readonly path: string };

/** The OpenAPI document as one page of HTML without scripts. */
export function renderPage(document: Json): string {
  const { info, tags, paths, components } = shape.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ ...one, method, path })),
  );
  const of = (tag: string): Operation[] => operations.filter((one) => one.tags.includes(tag));
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${info.title}</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <h1>${info.title} ${info.version}</h1>
        ${prose(info.description)}
        <p><a href="/openapi.json">openapi.json</a></p>
        <nav>${join(tags.map((tag) => renderContents(tag.name, of(tag.name))))}</nav>
        ${join(tags.map((tag) => renderTag(tag, of(tag.name), components)))}
        <h2>Schemas</h2>
        ${join(
          Object.entries(components.schemas).map(
            ([name, schema]) =>
              html`<h3 id="${name}">${name}</h3>
                ${renderFields(schema)}`,
          ),
        )}
      </body>
    </html>`;
  return page.text;
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color-scheme: light dark; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid #8886; border-radius: 4px; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
  border-bottom: 1px solid #8884; }
h2 { margin-top: 3rem; } h3 { margin-top: 2.5rem; } summary { cursor: pointer; }
.method { font-weight: bold; text-transform: uppercase; }
`;

function renderContents(tag: string, operations: readonly Operation[]): Html {
  const links = operations.map(
    ({ operationId, method, path, summary }) =>
      html`<li>
        <a href="#${operationId}"><code class="method">${method}</code> <code>${path}</code></a>
        ${summary}
      </li>`,
  );
  return operations.length === 0
    ? html``
    : html`<b>${tag}</b>
        <ul>
          ${join(links)}
        </ul>`;
}

function renderTag(
  tag: Shape['tags'][number],
  operations: readonly Operation[],
  components: Shape['components'],
): Html {
  if (operations.length === 0) return html``;
  return html`<h2>${tag.name}</h2>
    ${prose(tag.description)} ${join(operations.map((one) => renderOperation(one, components)))}`;
}

function renderOperation(one: Operation, components: Shape['components']): Html {
  const { operationId, method, path, summary, description, requestBody, responses } = one;
  return html`<h3 id="${operationId}">
      <code class="method">${method}</code> <code>${path}</code>
    </h3>
    <p><b>${summary}.</b> ${callerOf(one)}</p>
    ${description === undefined ? html`` : prose(description)} ${renderParameters(one, components)}
    ${requestBody === undefined ? html`` : renderBody('Body', requestBody.content)}
    ${join(Object.entries(responses).map(([status, said]) => renderAnswer(status, said)))}`;
}

function callerOf({ security }: Operation): string {
  const [scheme, other] = security.flatMap((one) => Object.keys(one));
  if (scheme === undefined) return 'For anybody.';
  if (other !== undefined) return 'For owners, with the cookie, and for agents, with their key.';
  return scheme === 'ownerCookie' ? 'For owners, with the cookie.' : 'For agents, with their key.';
}

const parameter = z.object({
  name: z.string(),
  in: z.string(),
  description: z.string().default(''),
  schema: anyJson,
});

function renderParameters({ parameters }: Operation, components: Shape['components']): Html {
  if (parameters.length === 0) return html``;
  const rows = parameters.map((one) => {
    const name = typeof one['$ref'] === 'string' ? one['$ref'].split('/').at(-1) : undefined;
    const said = parameter.parse(name === undefined ? one : components.parameters[name]);
    return html`<tr>
      <td><code>${said.name}</code></td>
      <td>${said.in}, ${typeOf(said.schema)}</td>
      <td>${prose(said.description)}</td>
    </tr>`;
  });
  return html`<table>
    ${join(rows)}
  </table>`;
}

function renderBody(title: string, said: z.output<typeof content>): Html {
  const schema = said['application/json']?.schema;
  if (schema === undefined) return html``;
  return html`<details>
    <summary>${title}: ${typeOf(schema)}</summary>
    ${renderFields(schema)}
  </details>`;
}

function renderAnswer(
  status: string,
  said: { readonly description: string; readonly content: z.output<typeof content> },
): Html {
  const isRefusal = Number(status) >= 400;
  return html`<h4>${status}</h4>
    ${prose(said.description)} ${isRefusal ? html`` : renderBody('Answer', said.content)}`;
}
