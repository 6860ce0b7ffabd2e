import type { Part } from '../../parts.ts';
import { type PlainAnswer, send } from '../../plain-http.ts';
import type { Cases } from '../../surface.ts';
import { type BrowserWorld, foreignOrigins, listOwnerOperations, type Operation } from './world.ts';

/** Content types that a page may send to any origin without a preflight. */
const SIMPLE_TYPES = [
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json-patch+json',
  'application/jsonp',
  'text/json',
  '',
];
const BODY = '{"max_deployed_fraction_bp":0,"paused":true,"amount":"all"}';

/** Requests that another page makes the owner's browser send, and answers that it can read. */
export const foreignPages: Part<BrowserWorld> = {
  shows: ['no-origin-check', 'cors-for-everybody'],
  attack: async (cases, world) => {
    // First: without its checks the api lets the cookie be ended from elsewhere.
    const { apiKey } = await world.owner.createSession({ recipients: [] });
    const operations = await listOwnerOperations(world.api);
    const changes = operations.filter(({ method }) => method !== 'GET');
    for (const origin of foreignOrigins(world.origin)) {
      for (const one of changes) {
        await cases.try(`${one.method} ${one.path} from ${JSON.stringify(origin)}`, async () => {
          const headers = { ...credentials(world), origin, 'content-type': 'application/json' };
          const answer = await send(world.api, one.method, one.path, { headers, body: BODY });
          return answer.status === 403 ? readableBy(answer) : `answered ${answer.status}`;
        });
      }
      for (const { path } of operations) {
        await cases.try(`reading ${path} from ${JSON.stringify(origin)}`, async () => {
          const headers = { ...credentials(world), origin };
          return readableBy(await send(world.api, 'GET', path, { headers }));
        });
        await cases.try(`a request for ${path} from ${JSON.stringify(origin)}`, async () => {
          const headers = {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'content-type, authorization',
            'access-control-request-private-network': 'true',
          };
          return readableBy(await send(world.api, 'OPTIONS', path, { headers }));
        });
      }
    }
    await tryForms(cases, world, changes);
    await tryOverrides(cases, world);
    await tryAgents(cases, world, apiKey);
  },
};

const credentials = ({ owner }: BrowserWorld) => ({ cookie: owner.cookie });

/** Null when no page can read the answer. */
function readableBy({ headers }: PlainAnswer): string | null {
  const told = Object.keys(headers).filter((name) => name.startsWith('access-control-allow-'));
  return told.length === 0 ? null : `told ${told.join(', ')}`;
}

/** Forms, from browsers too old to send an Origin. */
async function tryForms(
  cases: Cases,
  world: BrowserWorld,
  changes: readonly Operation[],
): Promise<void> {
  for (const type of SIMPLE_TYPES) {
    for (const one of changes) {
      await cases.try(`a form of type ${JSON.stringify(type)} to ${one.path}`, async () => {
        const { status } = await send(world.api, one.method, one.path, {
          headers: {
            ...credentials(world),
            referer: 'https://evil.example/',
            ...(type === '' ? {} : { 'content-type': type }),
          },
          body: BODY,
        });
        return status === 415 ? null : `answered ${status}`;
      });
    }
  }
}

/** Overrides of the request method. */
async function tryOverrides(cases: Cases, world: BrowserWorld): Promise<void> {
  const headers = { ...credentials(world), 'x-http-method-override': 'POST', 'x-method': 'POST' };
  for (const path of ['/v1/wallet/pause', '/v1/wallet/pause?_method=POST']) {
    await cases.try(`GET ${path} with its method overridden`, async () => {
      const { status } = await send(world.api, 'GET', path, { headers });
      return status === 405 ? null : `answered ${status}`;
    });
  }
}

/** Agent routes are for no page. */
async function tryAgents(
  cases: Cases,
  { api, origin }: BrowserWorld,
  apiKey: string,
): Promise<void> {
  const headers = { origin, authorization: `Bearer ${apiKey}` };
  for (const path of ['/v1/yield/position', '/v1/agent/limits', '/v1/services', '/livez']) {
    for (const method of ['GET', 'OPTIONS']) {
      await cases.try(`${method} ${path} from the dashboard with a key`, async () =>
        readableBy(await send(api, method, path, { headers })),
      );
    }
  }
}
