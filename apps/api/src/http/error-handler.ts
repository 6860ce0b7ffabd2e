import { isDatabaseFault } from '@agent-wallet/db';
import { isAppError } from '@agent-wallet/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { badRequest, HttpRefusal, refuse } from './http-refusal.ts';

declare module 'fastify' {
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface FastifyReply {
    /** Code of the refusal that this reply sends, for metrics; null without one. */
    refusalCode: string | null;
  }
}

/** Sends the refusal for whatever a route threw. No text of the framework reaches a client. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toRefusal(error);
  if (refusal.status >= 500) {
    request.log.error({ err: error, code: refusal.body.code }, 'request failed');
  }
  reply.refusalCode = refusal.body.code;
  void reply.code(refusal.status).headers(refusal.headers).send(refusal.body);
}

/** Sends 404 `route not found`. */
export function sendRouteNotFound(request: FastifyRequest, reply: FastifyReply): void {
  sendError(refuse('ROUTE_NOT_FOUND'), request, reply);
}

function toRefusal(error: unknown): HttpRefusal {
  if (error instanceof HttpRefusal) return error;
  if (isAppError(error)) return refuse(error.code);
  if (isDatabaseFault(error)) return refuse('DATABASE_UNAVAILABLE');
  if (hasZodFastifySchemaValidationErrors(error)) return badRequest(textOfFirstIssue(error));
  return refusalOfFramework(error) ?? refuse('INTERNAL');
}

type WithIssues = {
  readonly validation: readonly { readonly instancePath: string; readonly message?: string }[];
};

/** `/allowed_recipients/3` + `must be …` reads `allowed_recipients[3] must be …`. */
function textOfFirstIssue(error: WithIssues): string {
  const issue = error.validation[0];
  const path = (issue?.instancePath ?? '').split('/').slice(1);
  const field = path.map((part, i) =>
    /^[0-9]+$/.test(part) ? `[${part}]` : `${i > 0 ? '.' : ''}${part}`,
  );
  return `${field.join('') || 'body'} ${issue?.message ?? 'is not valid'}`;
}

/** The refusal for an error that the framework raises before a handler runs. */
function refusalOfFramework(error: unknown): HttpRefusal | null {
  if (!(error instanceof Error) || !('statusCode' in error)) return null;
  switch (error.statusCode) {
    case 400:
      return badRequest('body must be valid JSON');
    case 404:
      return refuse('ROUTE_NOT_FOUND');
    case 413:
      return refuse('BODY_TOO_LARGE');
    case 415:
      return refuse('UNSUPPORTED_MEDIA_TYPE');
    default:
      return null;
  }
}
