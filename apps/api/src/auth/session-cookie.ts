/** Attributes of the owner's cookie. */
export type CookieAttributes = {
  readonly path: '/';
  readonly httpOnly: true;
  readonly secure: boolean;
  readonly sameSite: 'lax' | 'none';
};

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);

/**
 * `Lax` where page and api share a host name. Otherwise `None`, because browsers treat the page's
 * requests as cross-site; the Origin check then replaces the protection that `Lax` gives.
 */
export function cookieAttributes(dashboardOrigin: string, apiHost: string): CookieAttributes {
  const pageHost = new URL(dashboardOrigin).hostname;
  const isSameHost = pageHost === apiHost;
  return {
    path: '/',
    httpOnly: true,
    secure: !(isSameHost && LOOPBACK.has(apiHost)),
    sameSite: isSameHost ? 'lax' : 'none',
  };
}
