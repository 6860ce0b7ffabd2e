/**
 * The paths of the page's views. The server returns the page for these and a 404 for every other
 * path; a segment with a colon stands for any one segment.
 */
export const ROUTES = {
  overview: '/',
  fund: '/fund',
  withdraw: '/withdraw',
  exit: '/exit',
  sessions: '/sessions',
  newSession: '/sessions/new',
  session: '/sessions/:id',
  activity: '/activity',
  policy: '/policy',
  yield: '/yield',
  webhooks: '/webhooks',
} as const;

const PATTERNS = Object.values(ROUTES).map(
  (route) => new RegExp(`^${route.replaceAll(/:[a-z]+/g, '[^/]+')}$`),
);

/** Whether a path, without its query, is one of a view. */
export const isRoute = (path: string): boolean => PATTERNS.some((pattern) => pattern.test(path));
