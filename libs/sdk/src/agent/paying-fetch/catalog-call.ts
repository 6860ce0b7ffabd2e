import type { Service } from '../replies.ts';

/** A request to a service of the catalog, as `POST /v1/spend/service` takes it. */
export type CatalogCall = {
  readonly slug: string;
  /** Absent for the entry's URL itself. */
  readonly path?: string;
  readonly body?: unknown;
};

/**
 * The request for the entry of the catalog that `url` belongs to; null where no entry has this URL,
 * or where the entry would send another method or body.
 */
export function findCatalogCall(
  services: readonly Service[],
  url: URL,
  init: Pick<RequestInit, 'method' | 'body'>,
): CatalogCall | null {
  const body = readBody(init.body);
  if (body === null) return null;
  const method = (init.method ?? 'GET').toUpperCase();
  // The longest URL first: an entry may be below another one.
  const longestFirst = services.toSorted((a, b) => b.base_url.length - a.base_url.length);
  for (const { slug, base_url: baseUrl, method: ofEntry } of longestFirst) {
    const path = pathBelow(new URL(baseUrl), url);
    if (path === null) continue;
    if (method !== (ofEntry ?? (body.isEmpty ? 'GET' : 'POST'))) return null;
    return {
      slug,
      ...(path === '' ? {} : { path }),
      ...(body.isEmpty ? {} : { body: body.value }),
    };
  }
  return null;
}

/** The part of `url` below `base`, empty for the same URL; null where it is elsewhere. */
function pathBelow(base: URL, url: URL): string | null {
  const wanted = `${url.origin}${url.pathname}${url.search}`;
  if (wanted === base.href) return '';
  const root = `${base.origin}${base.pathname.replace(/\/+$/, '')}`;
  const path = wanted.slice(root.length);
  return wanted.startsWith(`${root}/`) && path !== '/' && !path.startsWith('//') ? path : null;
}

/** The API sends bodies as JSON; null for any other body. */
function readBody(
  body: RequestInit['body'],
): { readonly isEmpty: true } | { readonly isEmpty: false; readonly value: unknown } | null {
  if (body === undefined || body === null) return { isEmpty: true };
  if (typeof body !== 'string') return null;
  try {
    const value: unknown = JSON.parse(body);
    // The API takes null as no body.
    return value === null ? null : { isEmpty: false, value };
  } catch {
    return null;
  }
}
