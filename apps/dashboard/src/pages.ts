/** A page of the dashboard, ready to send. */
export type Page = { readonly status: number; readonly type: string; readonly body: string };

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/**
 * The page at a path of the dashboard's origin, which forwards no request to the api: `/v1/*` is as
 * unknown as any other path.
 */
export function pageAt(path: string, apiUrl: string): Page {
  switch (path) {
    case '/':
      return { status: 200, type: HTML, body: welcome(apiUrl) };
    case '/livez':
      return { status: 200, type: JSON_TYPE, body: '{"status":"ok"}' };
    case '/readyz':
      return { status: 200, type: JSON_TYPE, body: '{"status":"ready"}' };
    default:
      return { status: 404, type: HTML, body: notFound(apiUrl) };
  }
}

const welcome = (apiUrl: string): string =>
  html(
    'Agent Spending Wallet',
    '<p>This will be the owner’s page: sign in with a wallet, create and fund the vault, open and ' +
      'revoke sessions, set the rules, read the log. It is not available yet.</p>' +
      `<p>The HTTP api already does all of this, at <code>${escaped(apiUrl)}</code>.</p>`,
  );

const notFound = (apiUrl: string): string =>
  html(
    'Page not found',
    `<p>This page does not exist. The HTTP api is at <code>${escaped(apiUrl)}</code>.</p>`,
  );

const html = (title: string, content: string): string =>
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  `<title>${title}</title></head>\n<body><h1>${title}</h1>\n${content}</body></html>\n`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
