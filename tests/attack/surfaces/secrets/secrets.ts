import bs58 from 'bs58';

/** Something that only those may see for whom it was made. */
export type Secret = { readonly name: string; readonly spellings: readonly string[] };

/** Enough of it that nothing else looks like it, and so little that half of it is found as well. */
const PIECE = 16;

/** A piece out of the middle. The beginning of an API key is meant to be shown. */
const pieceOf = (text: string): string => {
  const start = Math.max(0, Math.floor((text.length - PIECE) / 2));
  return text.slice(start, start + PIECE);
};

/** A secret that is a text, as it is and as texts are written elsewhere. */
export function secretText(name: string, text: string): Secret {
  const bytes = Buffer.from(text);
  const spellings = [
    pieceOf(text),
    pieceOf(encodeURIComponent(text)),
    ...spellingsOf(bytes.subarray(Math.floor(bytes.length / 3))),
    ...spellingsOf(bytes),
  ];
  return { name, spellings: [...new Set(spellings)] };
}

/** A secret that is bytes, in the usual spellings of bytes; of a keypair also its first half. */
export function secretBytes(name: string, bytes: Uint8Array): Secret {
  const halves = bytes.length === 64 ? [bytes, bytes.subarray(0, 32)] : [bytes];
  return { name, spellings: [...new Set(halves.flatMap(spellingsOf))] };
}

function spellingsOf(given: Uint8Array): readonly string[] {
  const bytes = Buffer.from(given);
  const numbers = [...bytes.subarray(4, 16)];
  return [
    bs58.encode(bytes).slice(4, 4 + 2 * PIECE),
    pieceOf(bytes.toString('hex')),
    pieceOf(bytes.toString('hex')).toUpperCase(),
    // Both have the same first characters, with padding and without.
    bytes.toString('base64').slice(4, 4 + PIECE),
    bytes.toString('base64url').slice(4, 4 + PIECE),
    numbers.join(','),
    numbers.join(', '),
    JSON.stringify(numbers, null, 2).slice(1, -1).trim(),
  ];
}

/** Where in `text` it stands, in a few words that do not say it again; null when it does not. */
export function findSecret({ spellings }: Secret, text: string): string | null {
  const at = spellings.map((spelling) => text.indexOf(spelling)).find((place) => place >= 0);
  if (at === undefined) return null;
  const line = text.slice(0, at).split('\n').length;
  return `in line ${line}, behind ${JSON.stringify(text.slice(Math.max(0, at - 60), at).slice(0, 40))}`;
}
