import {
  isAgentWalletError,
  usdc,
  type WebhookEventType,
  type WebhookRequest,
} from '@agent-wallet/sdk/owner';

/** A webhook as it is typed. */
export type WebhookForm = {
  readonly url: string;
  readonly events: ReadonlySet<WebhookEventType>;
  /** USDC; for the event of a low balance. */
  readonly threshold: string;
};

export const EMPTY_FORM: WebhookForm = {
  url: '',
  events: new Set(['spend.settled', 'spend.refused']),
  threshold: '',
};

/** What is wrong with each field; null where nothing is. */
export type FormFaults = {
  readonly url: string | null;
  readonly events: string | null;
  readonly threshold: string | null;
};

type Reading =
  | { readonly kind: 'request'; readonly request: WebhookRequest }
  | { readonly kind: 'refused'; readonly faults: FormFaults };

/** Reads the form. The API judges the host again. */
export function readForm({ url, events, threshold }: WebhookForm): Reading {
  const needsThreshold = events.has('wallet.low_balance');
  const below = needsThreshold ? readUsdc(threshold) : null;
  const faults: FormFaults = {
    url: URL.parse(url.trim())?.protocol === 'https:' ? null : 'Enter an https URL.',
    events: events.size === 0 ? 'Choose at least one event.' : null,
    threshold:
      needsThreshold && (below === null || below === 0n)
        ? 'Enter an amount of USDC above 0, such as 5.'
        : null,
  };
  if (Object.values(faults).some((fault) => fault !== null)) return { kind: 'refused', faults };
  return {
    kind: 'request',
    request: { url: url.trim(), events: [...events], low_balance_below: below },
  };
}

/** The form with one event more, or without it. */
export function toggleEvent(form: WebhookForm, event: WebhookEventType): WebhookForm {
  const events = new Set(form.events);
  if (!events.delete(event)) events.add(event);
  return { ...form, events };
}

function readUsdc(text: string): bigint | null {
  try {
    return usdc(text.trim());
  } catch (error) {
    if (isAgentWalletError(error, 'INVALID_AMOUNT')) return null;
    throw error;
  }
}
