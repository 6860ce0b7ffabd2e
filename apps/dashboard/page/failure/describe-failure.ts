import { isAgentWalletError } from '@agent-wallet/sdk/owner';

/** What the person can do about a failure. */
export type NextStep =
  /** Ask for a new transaction: nothing has changed. */
  | 'prepare'
  /** Ask the wallet for the same signature again. */
  | 'sign'
  /** Look at the chain again: the transaction may have taken effect. */
  | 'look'
  /** Sign in again. */
  | 'sign-in'
  /** Only leave. */
  | 'close';

export type Failure = {
  readonly title: string;
  /** What it means, and what to do. */
  readonly text: string;
  readonly next: NextStep;
  /** The original error text of the program, the wallet or the API, for support. */
  readonly detail: string | null;
};

/** In which step a transaction failed. */
export type FailedStep = 'preparing' | 'signing' | 'sending';

const NOTHING_CHANGED = 'Nothing has changed.';

/** A failure of a transaction in words. Nothing but `look` leaves it open whether it took effect. */
export function describeFailure(error: unknown, step: FailedStep): Failure {
  if (isAgentWalletError(error)) {
    switch (error.code) {
      case 'TRANSACTION_MISMATCH':
      case 'ADDRESS_MISMATCH':
        return {
          title: 'This transaction is not what you asked for',
          text: 'It was not passed on to your wallet. The API, or something on the way to it, is not to be trusted: pause or withdraw with the command line if this happens again.',
          next: 'close',
          detail: error.error,
        };
      case 'SIGNED_MISMATCH':
        return {
          title: 'Your wallet returned another transaction',
          text: `It was not sent, and nothing has changed. Check that the wallet uses the account you signed in with and adds nothing to transactions, then sign again.`,
          next: 'prepare',
          detail: error.detail,
        };
      case 'PENDING':
        return {
          title: 'The outcome is not known yet',
          text: 'The transaction was signed and may take effect. The network does not answer at the moment: look again before you sign another one.',
          next: 'look',
          detail: error.error,
        };
      case 'TRANSACTION_EXPIRED':
        return {
          title: 'The transaction has expired',
          text: `The network did not take it in time, and can no longer do so. ${NOTHING_CHANGED}`,
          next: 'prepare',
          detail: null,
        };
      case 'TRANSACTION_FAILED':
        return describeRefusal(error.error, error.detail ?? '');
      case 'MISSING_SESSION_COOKIE':
      case 'INVALID_JWT':
        return {
          title: 'You are signed out',
          text: `The sign-in has ended. Sign in again and repeat this. ${NOTHING_CHANGED}`,
          next: 'sign-in',
          detail: null,
        };
      case 'NO_REPLY':
        return step === 'sending' ? describeUnknown(error.error) : unreachable(error.error);
      case 'BAD_REQUEST':
        return {
          title: 'The request is not valid',
          text: `${error.error}. ${NOTHING_CHANGED}`,
          next: 'prepare',
          detail: null,
        };
      case 'RPC_UNAVAILABLE':
        // By the API, or by the page's own client: its remedy names a setting of that client.
        return {
          title: 'The chain cannot be reached',
          text: `Try again later. ${NOTHING_CHANGED}`,
          next: 'prepare',
          detail: error.error,
        };
      default:
        return describeApiRefusal(error.code, error.error, error.remedy ?? null);
    }
  }
  const detail = error instanceof Error ? error.message : String(error);
  if (step === 'signing') return describeWalletRefusal(error, detail);
  if (step === 'sending') return describeUnknown(detail);
  return {
    title: 'The transaction could not be prepared',
    text: NOTHING_CHANGED,
    next: 'prepare',
    detail,
  };
}

const describeUnknown = (detail: string): Failure => ({
  title: 'The outcome is not known yet',
  text: 'The transaction was signed and may take effect. Look again before you sign another one.',
  next: 'look',
  detail,
});

const unreachable = (detail: string): Failure => ({
  title: 'The API does not answer',
  text: `Check the connection and try again. ${NOTHING_CHANGED}`,
  next: 'prepare',
  detail,
});

/** Wallets have no common codes; 4001 and these words are what they use. */
function describeWalletRefusal(error: unknown, detail: string): Failure {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (code === 4001 || /reject|declin|denied|cancel/i.test(detail)) {
    return {
      title: 'You declined in the wallet',
      text: `${NOTHING_CHANGED} Sign again, or close this.`,
      next: 'sign',
      detail: null,
    };
  }
  if (/account/i.test(detail)) {
    return {
      title: 'The wallet has another account selected',
      text: `Select the account that you signed in with, then sign again. ${NOTHING_CHANGED}`,
      next: 'sign',
      detail,
    };
  }
  if (/cluster|network|chain|genesis/i.test(detail)) {
    return {
      title: 'The wallet is on another network',
      text: `Switch the wallet to the network of this page, then sign again. ${NOTHING_CHANGED}`,
      next: 'sign',
      detail,
    };
  }
  return {
    title: 'The wallet did not sign',
    text: `${NOTHING_CHANGED} Unlock the wallet and sign again.`,
    next: 'sign',
    detail,
  };
}

type Known = { readonly found: RegExp; readonly title: string; readonly text: string };

/** By the program's name of an error, its number, or the network's. The transaction did not take effect. */
const REFUSALS: readonly Known[] = [
  {
    found: /DeadlinePassed|"Custom":6106\b/,
    title: 'The deadline has passed',
    text: 'Transactions are good for 10 minutes.',
  },
  {
    found: /BlockhashNotFound|Blockhash not found/i,
    title: 'The transaction is too old',
    text: 'The network takes a transaction for about a minute after it was prepared.',
  },
  {
    found: /SessionIndexMismatch|"Custom":6107\b/,
    title: 'Another session was created in the meantime',
    text: 'One session is created at a time.',
  },
  {
    found: /SessionMismatch|"Custom":6050\b/,
    title: 'This session does not exist any more',
    text: 'Reload the page to see its state.',
  },
  {
    found: /AccountNotInitialized|"Custom":3012\b/,
    title: 'An account is missing on chain',
    text: 'The session or the vault does not exist there, or does not any more.',
  },
  {
    found: /InvalidExpiry|"Custom":6100\b/,
    title: 'The expiry has passed',
    text: 'Choose a later one.',
  },
  {
    found: /RecipientForbidden|"Custom":6103\b/,
    title: 'A recipient is not allowed',
    text: 'The vault and its own accounts cannot be recipients.',
  },
  {
    found:
      /debit an account but found no record|insufficient lamports|insufficient funds for (?:fee|rent)|InsufficientFundsFor(?:Fee|Rent)/i,
    title: 'Your wallet has too little SOL for the fee',
    text: 'Send a little SOL to your wallet’s address.',
  },
  {
    found: /insufficient funds/i,
    title: 'The vault holds less than that',
    text: 'Choose a smaller amount.',
  },
];

function describeRefusal(error: string, detail: string): Failure {
  const known = REFUSALS.find(({ found }) => found.test(detail) || found.test(error));
  return {
    title: known?.title ?? 'The network refused the transaction',
    text: `${known === undefined ? '' : `${known.text} `}${NOTHING_CHANGED}`,
    next: 'prepare',
    detail: known === undefined ? error : null,
  };
}

function describeApiRefusal(code: string, error: string, remedy: string | null): Failure {
  const title =
    {
      SESSION_NOT_LIVE: 'The session is not on chain yet',
      SESSION_ALREADY_REVOKED: 'The session is revoked already',
      SESSION_EXPIRED: 'The session has expired',
      SESSION_KEYS_NOT_READY: 'No session key is ready yet',
      WALLET_NOT_ACTIVE: 'There is no vault yet',
      RATE_LIMITED: 'Too many requests',
      IDEMPOTENCY_KEY_REUSED: 'This request was changed in the meantime',
    }[code] ?? 'The API refused the request';
  const sentence = remedy === null ? '' : `${remedy[0]?.toUpperCase()}${remedy.slice(1)}. `;
  return { title, text: `${sentence}${NOTHING_CHANGED}`, next: 'prepare', detail: error };
}
