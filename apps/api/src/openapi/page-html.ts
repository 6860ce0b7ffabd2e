/** HTML composed of escaped parts. */
export type Html = { readonly text: string };

/** Text that is HTML already. */
export const raw = (text: string): Html => ({ text });

/** Concatenates parts. */
export const join = (parts: readonly Html[]): Html => raw(parts.map(({ text }) => text).join(''));

/** A template that escapes each value, unless it is HTML already. */
export function html(strings: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const parts = values.map((value) => (typeof value === 'string' ? escape(value) : value.text));
  return raw(String.raw({ raw: strings }, ...parts));
}

/** Renders paragraphs and lists of plain text; only backquotes are markup. */
export function prose(text: string): Html {
  if (text === '') return html``;
  const blocks = text.split('\n\n').map((block) =>
    block.startsWith('- ')
      ? html`<ul>
          ${join(block.split('\n').map((line) => html`<li>${words(line.slice(2))}</li>`))}
        </ul>`
      : html`<p>${words(block)}</p>`,
  );
  return join(blocks);
}

function words(text: string): Html {
  return join(
    text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`)),
  );
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
