import { decodeAddress } from '@agent-wallet/contract';
import { type SessionLimits, usdc } from '@agent-wallet/sdk/owner';
import { amountText } from '../../design/content/amount-text.ts';
import { momentText } from '../../transactions/moment-text.ts';
import { bitsOf, type SessionAction } from './session-actions.ts';

/** What the person has typed. */
export type SessionForm = {
  readonly maxPerTx: string;
  readonly dailyCap: string;
  /** A whole number of `unit`, or with the unit `same` nothing: the expiry stays. */
  readonly lasts: string;
  readonly unit: 'hours' | 'days' | 'same';
  readonly actions: readonly SessionAction[];
};

export type LimitField = 'maxPerTx' | 'dailyCap' | 'lasts' | 'actions';

/** A sentence for each field that is refused. */
export type Refused<Field extends string> = Readonly<Partial<Record<Field, string>>>;

export type Parsed<Value, Field extends string> =
  | { readonly kind: 'accepted'; readonly value: Value }
  | { readonly kind: 'refused'; readonly errors: Refused<Field> };

/** The capacity of a session's account on chain. */
export const MAX_RECIPIENTS = 10;
const MAX_DAYS = 365;
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 86_400;

/** The limits of a session, in base units and unix seconds. */
export function parseLimits(
  form: SessionForm,
  /** Unix seconds; `expiry` is the one that the session has. */
  { now, expiry = null }: { readonly now: number; readonly expiry?: number | null },
): Parsed<SessionLimits, LimitField> {
  const maxPerTx = parseAmount(form.maxPerTx);
  const dailyCap = parseAmount(form.dailyCap);
  const end = parseExpiry(form, now, expiry);
  const errors: Partial<Record<LimitField, string>> = {};
  if (typeof maxPerTx === 'string') errors.maxPerTx = maxPerTx;
  if (typeof dailyCap === 'string') errors.dailyCap = dailyCap;
  if (typeof end === 'string') errors.lasts = end;
  if (form.actions.length === 0) errors.actions = 'Choose at least one thing that it may do.';
  if (typeof maxPerTx === 'bigint' && typeof dailyCap === 'bigint' && maxPerTx > dailyCap) {
    errors.maxPerTx = `A payment above the cap of ${amountText(dailyCap)} USDC in 24 hours could never be made: lower this amount, or raise the cap.`;
  }
  if (
    typeof maxPerTx === 'string' ||
    typeof dailyCap === 'string' ||
    typeof end === 'string' ||
    Object.keys(errors).length > 0
  ) {
    return { kind: 'refused', errors };
  }
  return {
    kind: 'accepted',
    value: {
      max_per_tx: maxPerTx,
      daily_cap: dailyCap,
      expiry: end,
      allowed_instructions: bitsOf(form.actions),
    },
  };
}

/** Base units, or why the text is none. */
function parseAmount(text: string): bigint | string {
  const trimmed = text.trim();
  if (trimmed === '') return 'Enter an amount of USDC.';
  if (/^[0-9.]*,[0-9.,]*$/.test(trimmed)) {
    return 'Write the amount without commas, with a point before the decimals: 1000.50.';
  }
  if (/^[0-9]+\.[0-9]{7,}$/.test(trimmed)) return 'USDC has at most six decimals.';
  try {
    const amount = usdc(trimmed);
    return amount === 0n ? 'The amount must be above 0.' : amount;
  } catch {
    return 'Write an amount of USDC such as 5 or 0.25.';
  }
}

/** Unix seconds, or why the text is no duration. */
function parseExpiry(
  { lasts, unit }: SessionForm,
  now: number,
  expiry: number | null,
): number | string {
  if (unit === 'same') {
    if (expiry !== null && expiry > now) return expiry;
    return 'The session has expired: choose for how long it shall go on.';
  }
  const text = lasts.trim();
  if (!/^[0-9]{1,6}$/.test(text) || Number(text) === 0) {
    return `Write a whole number of ${unit} above 0.`;
  }
  const seconds = Number(text) * (unit === 'hours' ? HOUR_SECONDS : DAY_SECONDS);
  if (seconds > MAX_DAYS * DAY_SECONDS) {
    return `A session lasts at most ${MAX_DAYS} days. Its expiry can be changed later.`;
  }
  return now + seconds;
}

/** The form for the limits that a session has. */
export function formOfLimits(session: {
  readonly max_per_tx: bigint;
  readonly daily_cap: bigint;
  readonly actions: readonly SessionAction[];
}): SessionForm {
  return {
    maxPerTx: plainAmount(session.max_per_tx),
    dailyCap: plainAmount(session.daily_cap),
    lasts: '',
    unit: 'same',
    actions: session.actions,
  };
}

const plainAmount = (baseUnits: bigint): string => amountText(baseUnits).replaceAll(',', '');

/**
 * The recipients in a text: addresses between spaces, commas or line breaks. `forbidden` says what
 * an address is that cannot be a recipient.
 */
export function parseRecipients(
  text: string,
  forbidden: ReadonlyMap<string, string>,
): Parsed<readonly string[], 'recipients'> {
  const recipients = text.split(/[\s,;]+/).filter((part) => part !== '');
  const error = refusalOf(recipients, forbidden);
  return error === null
    ? { kind: 'accepted', value: recipients }
    : { kind: 'refused', errors: { recipients: error } };
}

function refusalOf(
  recipients: readonly string[],
  forbidden: ReadonlyMap<string, string>,
): string | null {
  for (const [place, recipient] of recipients.entries()) {
    if (decodeAddress(recipient) === null) {
      return `“${recipient.slice(0, 50)}” is not a Solana address: it has 32 to 44 letters and digits.`;
    }
    const what = forbidden.get(recipient);
    if (what !== undefined) return `${recipient} is ${what}, which cannot be a recipient.`;
    if (recipients.indexOf(recipient) !== place) return `${recipient} is listed twice.`;
  }
  return recipients.length > MAX_RECIPIENTS
    ? `A session has at most ${MAX_RECIPIENTS} recipients; these are ${recipients.length}.`
    : null;
}

/** For how long a session lasts, beside the field. */
export const expiryHint = (limits: Parsed<SessionLimits, LimitField>): string =>
  limits.kind === 'accepted' ? `Until ${momentText(limits.value.expiry)}` : '';
