/** A page of the dashboard, ready to be sent. */
export type Page = { readonly status: number; readonly type: string; readonly body: string };

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/**
 * What the dashboard's origin answers to a path. It does not pass anything on to the api: `/v1/*`
 * is as unknown here as any other path.
 */
export function pageAt(path: string, apiUrl: string): Page {
  switch (path) {
    case '/':
      return { status: 200, type: HTML, body: welcome(apiUrl) };
    case '/livez':
      return { status: 200, type: JSON_TYPE, body: '{"status":"live"}' };
    case '/readyz':
      return { status: 200, type: JSON_TYPE, body: '{"status":"ready"}' };
    default:
      return { status: 404, type: HTML, body: notFound(apiUrl) };
  }
}

const welcome = (apiUrl: string): string =>
  html(
    'Agent Spending Wallet',
    '<p>The owner’s page will be here: sign in with a wallet, create and fund the vault, open and ' +
      'revoke sessions, set the rules, read the log. It is not written yet.</p>' +
      `<p>All of that is there today over HTTP, at <code>${escaped(apiUrl)}</code>.</p>`,
  );

const notFound = (apiUrl: string): string =>
  html(
    'Page not found',
    `<p>There is no such page here. The HTTP api is at <code>${escaped(apiUrl)}</code>.</p>`,
  );

const html = (title: string, content: string): string =>
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  `<title>${title}</title></head>\n<body><h1>${title}</h1>\n${content}</body></html>\n`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
