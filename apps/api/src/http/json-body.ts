import type { FastifyInstance } from 'fastify';
import { badRequest } from './http-refusal.ts';

/**
 * Accepts JSON bodies only; an empty body counts as none, `null` is a 400, any
 * other content type a 415.
 */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    // The parser reports through `done` and returns nothing.
    void parse(request, body.toString(), (error, value) => {
      // Validation cannot tell `null` from no body at all.
      if (error === null && value === null) done(badRequest('body must be a JSON object'));
      else done(error, value);
    });
  });
}
