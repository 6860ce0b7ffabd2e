/** Parses an https URL that has one possible reading, or returns why the text is ambiguous. */

import { toUnicodeHost } from './punycode.ts';
import { judgePath } from './url-path.ts';

export type StrictUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: string };

/** Long enough for any real URL, short enough to check quickly. */
const MAX_LENGTH = 2_048;
const AUTHORITY = /^https:\/\/([^/?#]+)/i;

const refused = (reason: string): StrictUrl => ({ ok: false, reason });

/** Parses `text`; the reason of a refusal completes "the URL …". */
export function readStrictUrl(text: string): StrictUrl {
  if (text.length > MAX_LENGTH) return refused(`must not be longer than ${MAX_LENGTH} characters`);
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  if (/[\u0000-\u0020\u007f]/.test(text) || !text.isWellFormed()) {
    return refused('must not contain spaces or control characters');
  }
  if (text.includes('\\')) return refused('must not contain a backslash');
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return refused('must be an https URL');
  if (authority.includes('@')) return refused('must not contain a user name');
  const url = URL.canParse(text) ? new URL(text) : null;
  // The parser converts look-alikes of the asterisk.
  if (authority.includes('*') || (url?.host.includes('*') ?? false)) {
    return refused('must not have a wildcard in the host');
  }
  if (url === null || url.protocol !== 'https:') return refused('must be an https URL');
  const hostFault = judgeHost(authority, url);
  if (hostFault !== null) return refused(hostFault);
  const path = text.slice('https://'.length + authority.length).split(/[?#]/, 1)[0] ?? '';
  const pathFault = judgePath(path);
  return pathFault === null ? { ok: true, url } : refused(pathFault);
}

/**
 * The host must be spelled as it is parsed: this excludes numbers that become IP addresses,
 * encoded, full-width and invisible characters, and odd ports. Capitals and an IDN in its own
 * letters are plain spellings.
 */
function judgeHost(authority: string, url: URL): string | null {
  // Not toLowerCase, which also converts the Kelvin sign to k.
  const written = authority.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const port = url.port === '' ? '' : `:${url.port}`;
  const spellings = [url.hostname, toUnicodeHost(url.hostname)].flatMap((host) =>
    port === '' ? [host, `${host}:443`] : [`${host}${port}`],
  );
  if (!spellings.includes(written)) return 'must have its host and port in plain spelling';
  const isEmptyLabelled = url.hostname.split('.').includes('');
  return isEmptyLabelled ? 'must not have an empty part in the host' : null;
}
