import Fastify from 'fastify';

/** Where the page finds its script and the document, on its own origin. */
export const SCRIPT_PATH = '/docs/reference.js';
const DOCUMENT_PATH = '/openapi.json';

/**
 * For the page alone. Scalar sets styles of its elements; everything else comes from this origin,
 * and nothing is sent elsewhere.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page only shows the API: who can type a key into a page can lose it there. */
const CONFIGURATION = {
  url: DOCUMENT_PATH,
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  documentDownloadType: 'direct',
  modelsSectionLabel: 'Schemas',
};

/** The page of the API by Scalar, which reads the OpenAPI document. It has no inline script. */
export const API_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agent Spending Wallet API</title>
</head>
<body>
<div id="api-reference" data-configuration="${JSON.stringify(CONFIGURATION).replaceAll('"', '&quot;')}"></div>
<script src="${SCRIPT_PATH}"></script>
<noscript>This page needs JavaScript. The document itself: <a href="${DOCUMENT_PATH}">${DOCUMENT_PATH}</a></noscript>
</body>
</html>
`;

/**
 * Scalar's script, of five megabytes. Its package hands it out only through a plugin, whose own page
 * has an inline script; so the plugin runs on a server that never listens.
 */
export async function loadReferenceScript(): Promise<Buffer> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const library = Fastify();
  library.register(reference, { routePrefix: '/docs', configuration: { url: DOCUMENT_PATH } });
  const { rawPayload } = await library.inject('/docs/js/scalar.js');
  await library.close();
  return rawPayload;
}
