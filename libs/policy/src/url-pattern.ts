/**
 * The URL allowlist of a wallet. A pattern is an https URL with a literal host; in its path `*` is
 * exactly one whole segment and a final `**` is any rest. The query is ignored.
 *
 * The text is judged before it is parsed, because parsing hides what matters: a backslash turns
 * into a slash, dot segments vanish, tabs are dropped, user names look like hosts.
 */

export type UrlPattern = { readonly host: string; readonly segments: readonly string[] };

export type PatternResult =
  | { readonly ok: true; readonly pattern: UrlPattern }
  | { readonly ok: false; readonly reason: string };

/** Long enough for any real address, short enough to judge quickly. */
const MAX_LENGTH = 2_048;
const AUTHORITY = /^https:\/\/([^/?#]+)/i;

/** Why this text cannot be trusted as a plain https URL; null when it can. */
export function suspicionOf(text: string): string | null {
  if (text.length > MAX_LENGTH) return `must not be longer than ${MAX_LENGTH} characters`;
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u0020\u007f]/.test(text)) return 'must not contain spaces or control characters';
  if (text.includes('\\')) return 'must not contain a backslash';
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return 'must be an https URL';
  if (authority.includes('@')) return 'must not contain a user name';
  if (authority.includes('%')) return 'must not contain an encoded host';
  const path = text.slice('https://'.length + authority.length).split(/[?#]/, 1)[0] ?? '';
  // Also encoded twice: what one server decodes once, the next one may decode again.
  if (/%(25)*(2f|5c|00)/i.test(path)) return 'must not contain an encoded slash';
  const decodedDots = path.replace(/%(25)*2e/gi, '.').replace(/%(25)*3b/gi, ';');
  // "..;" is a dot segment to servers that cut path parameters off.
  const hasDotSegment = decodedDots.split('/').some((segment) => /^\.{1,2}(;|$)/.test(segment));
  return hasDotSegment ? 'must not contain dot segments' : null;
}

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

const segmentsOf = (url: URL): string[] => url.pathname.split('/').slice(1);

/** Reads a pattern; the reason of a refusal completes "pattern …". */
export function parsePattern(text: string): PatternResult {
  const reason = suspicionOf(text);
  if (reason !== null) return { ok: false, reason };
  if (/[?#]/.test(text)) return { ok: false, reason: 'must not contain a query or fragment' };
  const url = parseUrl(text);
  // Parsing turns look-alikes of the asterisk into one.
  if ((AUTHORITY.exec(text)?.[1] ?? '').includes('*') || (url?.host.includes('*') ?? false)) {
    return { ok: false, reason: 'must not have a wildcard in the host' };
  }
  if (url === null) return { ok: false, reason: 'must be an https URL' };
  const segments = segmentsOf(url);
  for (const [index, segment] of segments.entries()) {
    if (!segment.includes('*') || segment === '*') continue;
    if (segment === '**' && index === segments.length - 1) continue;
    return { ok: false, reason: 'must use * only as a whole path segment and ** only at the end' };
  }
  return { ok: true, pattern: { host: url.host, segments } };
}

/** Whether `urlText` is covered by the pattern. Anything unclear is not. */
export function matchUrl(pattern: UrlPattern, urlText: string): boolean {
  if (suspicionOf(urlText) !== null) return false;
  const url = parseUrl(urlText);
  if (url === null || url.protocol !== 'https:' || url.host !== pattern.host) return false;
  const segments = segmentsOf(url);
  for (const [index, wanted] of pattern.segments.entries()) {
    if (wanted === '**') return segments.length > index;
    const segment = segments[index];
    if (segment === undefined) return false;
    if (wanted === '*' ? segment === '' : segment !== wanted) return false;
  }
  return segments.length === pattern.segments.length;
}
