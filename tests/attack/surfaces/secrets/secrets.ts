import bs58 from 'bs58';

/** A secret, in all spellings to search for. */
export type Secret = { readonly name: string; readonly spellings: readonly string[] };

/** Long enough to be unique, short enough to find half a secret as well. */
const PIECE = 16;

/** Returns the middle of a text. The beginning of an API key is public. */
const pieceOf = (text: string): string => {
  const start = Math.max(0, Math.floor((text.length - PIECE) / 2));
  return text.slice(start, start + PIECE);
};

/** A secret text, as it is and in its usual encodings. */
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

/** Secret bytes in their usual encodings; of a keypair the private half too. */
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
    // Padding only differs at the end.
    bytes.toString('base64').slice(4, 4 + PIECE),
    bytes.toString('base64url').slice(4, 4 + PIECE),
    numbers.join(','),
    numbers.join(', '),
    JSON.stringify(numbers, null, 2).slice(1, -1).trim(),
  ];
}

/** Describes where `text` contains the secret without repeating it; null when it does not. */
export function findSecret({ spellings }: Secret, text: string): string | null {
  const at = spellings.map((spelling) => text.indexOf(spelling)).find((place) => place >= 0);
  if (at === undefined) return null;
  const line = text.slice(0, at).split('\n').length;
  return `in line ${line}, behind ${JSON.stringify(text.slice(Math.max(0, at - 60), at).slice(0, 40))}`;
}
