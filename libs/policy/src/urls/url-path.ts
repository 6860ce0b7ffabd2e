/** Detects paths that change their meaning when they are decoded, once or repeatedly. */

/** A text that is still encoded after this many rounds is refused. */
const MAX_DECODINGS = 5;

const ENCODED = 'must not contain an encoded slash, backslash or control character';
const DOTS = 'must not contain dot segments';
const BROKEN = 'must not contain a broken percent escape';

/** The reason why `path` is not trusted as written; null when it is. Bounded by its length. */
export function judgePath(path: string): string | null {
  if (!isUtf8(path)) return BROKEN;
  for (const segment of path.split('/')) {
    const fault = judgeSegment(segment);
    if (fault !== null) return fault;
  }
  return null;
}

function judgeSegment(segment: string): string | null {
  let text = segment;
  for (let round = 0; round <= MAX_DECODINGS; round += 1) {
    const fault = judgeDecoded(text);
    if (fault !== null) return fault;
    const decoded = decodeOnce(text);
    if (decoded === text) return null;
    text = decoded;
  }
  return ENCODED;
}

function judgeDecoded(text: string): string | null {
  // Some servers fold compatibility characters, such as a full-width slash or dot, to plain ones.
  for (const form of [text, text.normalize('NFKC')]) {
    // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
    if (/[\u0000-\u001f\u007f/\\]/.test(form)) return ENCODED;
    // Servers that cut off path parameters treat "..;" as a dot segment, others ".. ".
    const [name = ''] = form.split(';', 1);
    if (name.includes('.') && /^[. ]+$/.test(name)) return DOTS;
  }
  // Overlong forms of ASCII, and the "%u002f" of one old server.
  return /%(c[01]|u[0-9a-f]{4})/i.test(text) ? ENCODED : null;
}

const isUtf8 = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** One round of decoding; invalid UTF-8 is read byte by byte, as a lenient server does. */
function decodeOnce(text: string): string {
  return isUtf8(text)
    ? decodeURIComponent(text)
    : text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      );
}
