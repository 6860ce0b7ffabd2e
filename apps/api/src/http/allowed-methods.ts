import type { FastifyInstance } from 'fastify';

type KnownPath = { readonly pattern: RegExp; readonly methods: Set<string> };

/**
 * Collects the methods of every route that is registered on `app` after this. The returned function
 * lists those of a request's path; none for a path that no route has.
 */
export function collectMethods(app: FastifyInstance): (url: string) => readonly string[] {
  const known = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ method, url }) => {
    const path = known.get(url) ?? { pattern: patternOf(url), methods: new Set() };
    known.set(url, path);
    for (const name of [method].flat()) path.methods.add(name);
  });
  return (url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const paths = [...known.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(paths.flatMap(({ methods }) => [...methods]))];
  };
}

/**
 * Every parameter is the id of a row, `/v1/session/:id`. Any other text in its place may be a route
 * that is switched off, and that is not found.
 */
function patternOf(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? UUID : part.replaceAll('.', String.raw`\.`)));
  return new RegExp(`^${parts.join('/')}$`);
}

const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';
