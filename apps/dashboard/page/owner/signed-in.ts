import { z } from 'zod';

/** Who is signed in, as far as this browser knows; the cookie itself is hidden from pages. */
const signedIn = z.object({ pubkey: z.string(), expires_at: z.string() });
export type SignedInAs = z.output<typeof signedIn>;

const KEY = 'agent-wallet:signed-in';

/** The remembered sign-in of this owner, or null if there is none or it is over. */
export function readSignedIn(address: string): SignedInAs | null {
  const found = signedIn.safeParse(parseJson(localStorage.getItem(KEY) ?? ''));
  if (!found.success || found.data.pubkey !== address) return null;
  return Date.parse(found.data.expires_at) > Date.now() ? found.data : null;
}

/** Whether the page will probably show somebody's wallet, once a wallet has connected. */
export const isAnybodySignedIn = (): boolean => localStorage.getItem(KEY) !== null;

export const rememberSignedIn = ({ pubkey, expires_at }: SignedInAs): void =>
  localStorage.setItem(KEY, JSON.stringify({ pubkey, expires_at }));

export const forgetSignedIn = (): void => localStorage.removeItem(KEY);

/** Calls `onChange` when another tab has signed in or out. Returns what ends that. */
export function watchSignedIn(onChange: () => void): () => void {
  const listen = ({ key }: StorageEvent) => {
    if (key === KEY || key === null) onChange();
  };
  addEventListener('storage', listen);
  return () => removeEventListener('storage', listen);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
