/**
 * The URL allowlist of a wallet. A pattern is an https URL with a literal host; in its path `*` is
 * exactly one whole segment and a final `**` is any rest. The query is ignored.
 *
 * The text is checked as written and not only as parsed, because parsing hides differences: a
 * backslash becomes a slash, dot segments and tabs vanish, user names look like hosts. No pattern
 * covers a URL that two parsers could read differently.
 */

import { readStrictUrl } from './strict-url.ts';

/** `host` in lower case and punycode, with the port where it is not 443. */
export type UrlPattern = { readonly host: string; readonly segments: readonly string[] };

export type PatternResult =
  | { readonly ok: true; readonly pattern: UrlPattern; readonly text: string }
  | { readonly ok: false; readonly reason: string };

const refused = (reason: string): PatternResult => ({ ok: false, reason });

const segmentsOf = (url: URL): string[] => url.pathname.split('/').slice(1);

/**
 * Parses a pattern. `text` is its one canonical spelling; the reason of a refusal completes
 * "pattern …".
 */
export function parsePattern(written: string): PatternResult {
  const read = readStrictUrl(written);
  if (!read.ok) return refused(read.reason);
  if (/[?#]/.test(written)) return refused('must not contain a query or fragment');
  const segments = segmentsOf(read.url);
  for (const [index, segment] of segments.entries()) {
    if (!segment.includes('*') || segment === '*') continue;
    if (segment === '**' && index === segments.length - 1) continue;
    return refused('must use * only as a whole path segment and ** only at the end');
  }
  const { host } = read.url;
  return { ok: true, pattern: { host, segments }, text: `https://${host}/${segments.join('/')}` };
}

/** Whether `urlText` is covered by the pattern. Anything unclear is not. */
export function matchUrl(pattern: UrlPattern, urlText: string): boolean {
  const read = readStrictUrl(urlText);
  if (!read.ok || read.url.host !== pattern.host) return false;
  const segments = segmentsOf(read.url);
  for (const [index, wanted] of pattern.segments.entries()) {
    if (wanted === '**') return segments.length > index;
    const segment = segments[index];
    if (segment === undefined) return false;
    if (wanted === '*' ? segment === '' : segment !== wanted) return false;
  }
  return segments.length === pattern.segments.length;
}
