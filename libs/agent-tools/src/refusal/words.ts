import type { RefusedFields } from './refusal.ts';

type Words = { readonly reason: string; readonly remedy: string };

const ASK_FOR_SESSION = 'Tell the owner that the key needs a new session. No call can succeed.';

/** What a model reads for the refusals that it meets most. All others keep the words of the API. */
const WORDS: Readonly<Record<string, Words>> = {
  AmountExceedsMaxPerTx: {
    reason: 'The amount is above what the owner allows for one transfer.',
    remedy: 'Send at most max_per_tx of get_limits, or ask the owner to raise it.',
  },
  DailyCapExceeded: {
    reason: 'The amount does not fit into what the owner allows in 24 hours.',
    remedy: 'Wait until not_before, send at most daily_remaining of get_limits, or ask the owner.',
  },
  RecipientNotAllowed: {
    reason: "The recipient is not in the owner's list.",
    remedy: 'Pay one of allowed_recipients of get_limits, or ask the owner to add this one.',
  },
  AccountNotInitialized: {
    reason: 'The recipient has no USDC token account yet.',
    remedy: 'Ask the recipient to create one. You cannot create it.',
  },
  InstructionNotAllowed: {
    reason: 'The owner has not allowed this kind of spend.',
    remedy: 'Ask the owner to allow it for this session.',
  },
  SessionExpired: { reason: 'The session has expired.', remedy: ASK_FOR_SESSION },
  SessionRevoked: { reason: 'The owner has revoked the session.', remedy: ASK_FOR_SESSION },
  SESSION_REVOKED: { reason: 'The owner has revoked the session.', remedy: ASK_FOR_SESSION },
  API_KEY_REVOKED: {
    reason: 'The owner has replaced the API key of these tools.',
    remedy: 'Tell the person who runs these tools to set the new key.',
  },
  INVALID_API_KEY: {
    reason: 'The service does not know the API key of these tools.',
    remedy: 'Tell the person who runs these tools to set the right key.',
  },
  VaultPaused: {
    reason: 'The owner has paused all spending.',
    remedy: 'Wait until the owner resumes it.',
  },
  INSUFFICIENT_LIQUID: {
    reason: 'The wallet does not hold enough USDC for this amount.',
    remedy: 'Use a smaller amount (see amounts.deficit), or ask the owner to add USDC.',
  },
  OUTSIDE_TIME_WINDOW: {
    reason: "This moment is outside the owner's hours for spending.",
    remedy: 'Wait until not_before, or ask the owner to change the hours.',
  },
  QUOTED_OVER_MAX: {
    reason: 'The service asks for more than max_amount, or than its price limit in the catalog.',
    remedy: 'No money moved. Raise max_amount to amounts.quoted if the service is worth it.',
  },
  ROUTE_NOT_FOUND: {
    reason: 'This wallet service does not offer this tool.',
    remedy: 'Do without it: payments work as well.',
  },
  SERVICE_NOT_FOUND: {
    reason: 'The catalog has no service of this name.',
    remedy: 'Use a slug of list_services.',
  },
  SPEND_NOT_FOUND: {
    reason: 'This session has no spend with this id.',
    remedy: 'Use a spend_id of list_spends or of an earlier result.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    reason: 'This request_id belongs to a payment with other arguments.',
    remedy:
      'For a new payment use a new request_id. To repeat the old one, repeat all of its arguments.',
  },
  PENDING: {
    reason: 'The outcome is not known yet. The money may have moved.',
    remedy: 'Repeat the call with the same request_id, or read the spend with get_spend.',
  },
  NO_REPLY: {
    reason: 'The wallet service gave no usable reply. The money may have moved.',
    remedy: 'Repeat the call with the same arguments; under its request_id it does not pay twice.',
  },
  SERVICE_DID_NOT_DELIVER: {
    reason: 'The service was paid and has not delivered.',
    remedy:
      'Repeat the call later with the same request_id: it returns the newest reply and does not pay twice.',
  },
  PAYMENT_REFUSED: {
    reason:
      'The service refused the payment. No money has moved, but it stays reserved for a while.',
    remedy:
      'Pay it again, under a new request_id, only after get_spend shows this one as rejected.',
  },
};

/** Reason and remedy of a refusal in words that a model can act on. */
export function wordsFor({ code, error, detail, remedy }: RefusedFields): Words {
  const known = WORDS[code];
  if (known !== undefined) return known;
  if (code === 'BAD_REQUEST') {
    return { reason: `The arguments are not valid: ${error}.`, remedy: 'Correct them.' };
  }
  const reason = detail === null || detail === undefined ? error : `${error}: ${detail}`;
  return { reason, remedy: translate(remedy ?? 'Tell the owner of the wallet.') };
}

/** The model knows the key of its call as request_id. */
function translate(text: string): string {
  return text.replaceAll(/(?:an? )?Idempotency-?Key/gi, 'request_id');
}
