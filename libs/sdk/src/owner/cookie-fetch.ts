import type { Fetch } from '../http/http-client.ts';

const SET_COOKIE = /^svc_session=(?<value>[^;]*)/;

/**
 * A `fetch` that sends the owner's cookie. Browsers keep it themselves, and neither show nor take it
 * here; elsewhere the returned `fetch` keeps it, and sends it to the one API that it is used for.
 */
export function createCookieFetch(fetch: Fetch): Fetch {
  let cookie = '';
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (cookie !== '') headers.set('cookie', `svc_session=${cookie}`);
    const response = await fetch(url, { ...init, headers, credentials: 'include' });
    for (const text of response.headers.getSetCookie()) {
      cookie = SET_COOKIE.exec(text)?.groups?.['value'] ?? cookie;
    }
    return response;
  };
}
