import { isRoute } from '../page/routes.ts';
import type { PageSettings } from '../page/page-settings.ts';
import type { BuiltPage } from './built-page.ts';

/** A reply of the dashboard's origin, ready to send. */
export type Page = {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  /** The name of the file has a hash of its content, so that it never changes. */
  readonly isImmutable?: boolean;
};

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json';

/**
 * The reply at a path of the dashboard's origin, which forwards no request to the api: `/v1/*` is as
 * unknown as any other path.
 */
export function pageAt(path: string, built: BuiltPage, settings: PageSettings): Page {
  if (isRoute(path)) return { status: 200, type: HTML, body: built.html };
  const asset = built.assets.get(path);
  if (asset !== undefined) return { status: 200, ...asset, isImmutable: true };
  switch (path) {
    case '/config.json':
      return { status: 200, type: JSON_TYPE, body: JSON.stringify(settings) };
    case '/livez':
      return { status: 200, type: JSON_TYPE, body: '{"status":"ok"}' };
    case '/readyz':
      return { status: 200, type: JSON_TYPE, body: '{"status":"ready"}' };
    default:
      return { status: 404, type: HTML, body: notFound(settings.apiUrl) };
  }
}

const notFound = (apiUrl: string): string =>
  '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  '<title>Page not found</title></head>\n<body><h1>Page not found</h1>\n' +
  `<p>This page does not exist. The HTTP api is at <code>${escaped(apiUrl)}</code>; ` +
  '<a href="/">the wallet is here</a>.</p></body></html>\n';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
