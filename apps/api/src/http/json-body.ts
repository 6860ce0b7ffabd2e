import type { FastifyInstance } from 'fastify';

/** JSON is the one content type; an empty body is no body. Everything else is a 415. */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    // The parser answers through `done`; what it returns is nothing.
    void parse(request, body.toString(), done);
  });
}
