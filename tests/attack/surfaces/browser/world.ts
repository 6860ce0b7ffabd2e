import type { Database } from '@agent-wallet/db';
import { z } from 'zod';
import type { Api, HttpOwner } from '../../../support/http/http-owner.ts';
import { send } from '../../plain-http.ts';

/** The system under attack by other pages. */
export type BrowserWorld = {
  readonly api: Api;
  /** An api beside it whose dashboard is `HTTPS_ORIGIN`. */
  readonly https: Api;
  readonly dashboardUrl: string;
  /** Origin of the owner's page. */
  readonly origin: string;
  readonly db: Database;
  readonly owner: HttpOwner;
  readonly cookieSecret: string;
};

export const HTTPS_ORIGIN = 'https://wallet.example';

export type Operation = { readonly method: string; readonly path: string };

const operation = z.object({ security: z.array(z.record(z.string(), z.unknown())) });
const document = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) });
const ANY_ID = '00000000-0000-4000-8000-000000000000';

/** The owner's operations as the OpenAPI document lists them, so that a new one is not forgotten. */
export async function listOwnerOperations(api: Api): Promise<readonly Operation[]> {
  const { paths } = document.parse(JSON.parse((await send(api, 'GET', '/openapi.json')).text));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some((one) => 'ownerCookie' in one))
      .map(([method]) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{[^}]+\}/g, ANY_ID),
      })),
  );
}

/** Origins other than the dashboard's, including similar ones. */
export function foreignOrigins(origin: string): readonly string[] {
  const { protocol, hostname, port } = new URL(origin);
  const otherScheme = protocol === 'http:' ? 'https:' : 'http:';
  const here = `${hostname}:${port}`;
  return [
    'null',
    '',
    '*',
    'https://evil.example',
    `${otherScheme}//${here}`,
    `${protocol}//${hostname}`,
    `${protocol}//${hostname}:${Number(port) + 1}`,
    `${protocol}//${hostname}:${port}0`,
    `${protocol}//${hostname}:0${port}`,
    `${origin}/`,
    `${origin}?`,
    `${origin}.`,
    `${protocol}//${hostname}.:${port}`,
    `${origin}.evil.example`,
    `${origin}@evil.example`,
    `${protocol}//evil.example#${here}`,
    `${protocol}//evil.example?${origin}`,
    `${protocol}//evil${here}`,
    `${protocol}//sub.${here}`,
    `${protocol}//user@${here}`,
    `${origin} https://evil.example`,
    `https://evil.example ${origin}`,
    `${origin}, https://evil.example`,
    origin.toUpperCase(),
    `${protocol.toUpperCase()}//${here}`,
    `${protocol}//127.0.0.1:${port}`,
    `${protocol}//[::1]:${port}`,
    `${protocol}//${hostname.replace('o', '%6f')}:${port}`,
    here,
    `//${here}`,
    'file://',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
  ];
}
