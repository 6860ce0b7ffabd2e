import { badRequest } from '../http/http-refusal.ts';

/** How long a caller waits, and whether an unclaimed spend is cancelled then. */
export type Wait = { readonly waitMs: number; readonly cancelUnclaimed: boolean };

/** A replay cancels nothing: the caller of the first request may still wait for the spend. */
export const asReplay = ({ waitMs }: Wait): Wait => ({ waitMs, cancelUnclaimed: false });

const DEFAULT_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 60;
const PREFER_FAULT = `Prefer must be wait=N with N from 0 to ${MAX_WAIT_SECONDS}, or respond-async`;

type Header = string | readonly string[] | undefined;

/**
 * `wait=N` in seconds, 30 without; `respond-async` does not wait unless `wait` says so. Neither
 * `wait=0` nor `respond-async` cancels a spend. Other preferences are ignored, as RFC 7240 says.
 */
export function readWait(header: Header): Wait {
  let waitSeconds: number | null = null;
  let isAsync = false;
  for (const preference of textOf(header).split(',')) {
    const [name = '', value] = (preference.split(';')[0] ?? '')
      .split('=')
      .map((part) => part.trim());
    if (name.toLowerCase() === 'respond-async') isAsync = true;
    if (name.toLowerCase() === 'wait') waitSeconds = parseWaitSeconds(value);
  }
  const seconds = waitSeconds ?? (isAsync ? 0 : DEFAULT_WAIT_SECONDS);
  return { waitMs: seconds * 1000, cancelUnclaimed: !isAsync && seconds > 0 };
}

function parseWaitSeconds(value: string | undefined): number {
  const digits = /^"?([0-9]{1,2})"?$/.exec(value ?? '')?.[1];
  const seconds = Number(digits);
  if (digits === undefined || seconds > MAX_WAIT_SECONDS) throw badRequest(PREFER_FAULT);
  return seconds;
}

/** The `Idempotency-Key` header; null without one. */
export function readIdempotencyKey(header: Header): string | null {
  if (header === undefined) return null;
  const key = textOf(header);
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters');
}

const textOf = (header: Header): string =>
  header === undefined ? '' : typeof header === 'string' ? header : header.join(',');
