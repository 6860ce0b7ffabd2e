import type { FastifyInstance } from 'fastify';

/** Accepts JSON bodies only; an empty body counts as none, any other content type is a 415. */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    // The parser reports through `done` and returns nothing.
    void parse(request, body.toString(), done);
  });
}
