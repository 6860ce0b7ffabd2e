/**
 * Punycode (RFC 3492) in one direction, for runtimes without `domainToUnicode`: the owner's page
 * judges URLs by the same code as the backend.
 */

const PREFIX = 'xn--';
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_CODE_POINT = 128;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * The host in its own letters, for a `hostname` that a URL parser returned: `xn--bcher-kva.example`
 * is `bücher.example`. A label that is no punycode stays as it is.
 */
export function toUnicodeHost(hostname: string): string {
  return hostname
    .split('.')
    .map((label) =>
      label.startsWith(PREFIX) ? (decodeLabel(label.slice(PREFIX.length)) ?? label) : label,
    )
    .join('.');
}

/** Null for a text that no encoder writes. Each round inserts one code point. */
function decodeLabel(encoded: string): string | null {
  const delimiter = encoded.lastIndexOf('-');
  const decoded = Array.from(encoded.slice(0, Math.max(delimiter, 0)));
  let codePoint = INITIAL_CODE_POINT;
  let bias = INITIAL_BIAS;
  let position = 0;
  let read = delimiter + 1;
  while (read < encoded.length) {
    const before = position;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = DIGITS.indexOf(encoded.charAt(read));
      if (read >= encoded.length || digit < 0) return null;
      read += 1;
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (!Number.isSafeInteger(position) || !Number.isSafeInteger(weight)) return null;
    }
    const length = decoded.length + 1;
    bias = adaptedBias(position - before, length, before === 0);
    codePoint += Math.floor(position / length);
    position %= length;
    if (codePoint > 0x10_ff_ff) return null;
    decoded.splice(position, 0, String.fromCodePoint(codePoint));
    position += 1;
  }
  return decoded.join('');
}

function adaptedBias(change: number, length: number, isFirst: boolean): number {
  let delta = Math.floor(change / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / length);
  let k = 0;
  while (delta > ((BASE - T_MIN) * T_MAX) / 2) {
    delta = Math.floor(delta / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}
