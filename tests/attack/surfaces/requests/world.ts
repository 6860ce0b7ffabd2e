import type { Database } from '@agent-wallet/db';
import { z } from 'zod';
import type { Api, HttpOwner } from '../../../support/http/http-owner.ts';
import { send } from '../../plain-http.ts';

/** What the attacks by odd requests have at hand. */
export type RequestsWorld = {
  readonly api: Api;
  readonly db: Database;
  readonly owner: HttpOwner;
  readonly sessionId: string;
  readonly apiKey: string;
  /** Allowed in the session. */
  readonly recipient: string;
};

const operation = z.object({
  security: z.array(z.record(z.string(), z.unknown())),
  requestBody: z
    .object({
      content: z.object({
        'application/json': z.object({
          schema: z.looseObject({ examples: z.array(z.unknown()).optional() }).optional(),
        }),
      }),
    })
    .optional(),
});
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });

export type Operation = {
  readonly method: string;
  /** With the session's id in place of an id. */
  readonly path: string;
  readonly caller: 'owner' | 'agent' | 'anybody';
  /** A body that is right; undefined where there is none. */
  readonly example: unknown;
};

/** Every operation of the OpenAPI document. */
export async function listOperations({
  api,
  sessionId,
}: Pick<RequestsWorld, 'api' | 'sessionId'>): Promise<readonly Operation[]> {
  const { paths } = document.parse(JSON.parse((await send(api, 'GET', '/openapi.json')).text));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{[^}]+\}/g, sessionId),
      caller: callerOf(security),
      example: exampleOf(requestBody),
    })),
  );
}

function callerOf(security: readonly Record<string, unknown>[]): Operation['caller'] {
  if (security.length === 0) return 'anybody';
  return security.some((one) => 'ownerCookie' in one) ? 'owner' : 'agent';
}

const exampleOf = (requestBody: z.output<typeof operation>['requestBody']): unknown =>
  requestBody === undefined
    ? undefined
    : (requestBody.content['application/json'].schema?.examples?.[0] ?? {});

/** What its caller would send along. */
export function credentialsFor(
  { owner, apiKey }: RequestsWorld,
  caller: Operation['caller'],
): Record<string, string> {
  if (caller === 'owner') return { cookie: owner.cookie };
  if (caller === 'agent') return { authorization: `Bearer ${apiKey}`, prefer: 'respond-async' };
  return {};
}
