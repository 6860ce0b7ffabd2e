import { isAgentWalletError } from '@agent-wallet/sdk/owner';
import { WalletError } from '../wallet/wallet-error.ts';

/** What went wrong, and what to do, for people. */
export type Described = { readonly title: string; readonly remedy: string };

/** Words for an error of the client, of the wallet or of the page itself. */
export function describeError(error: unknown): Described {
  if (error instanceof WalletError) {
    return { title: 'Your wallet did not sign.', remedy: `It says: ${error.message}` };
  }
  if (!isAgentWalletError(error)) {
    const detail = error instanceof Error ? error.message : String(error);
    return { title: 'Something went wrong.', remedy: detail };
  }
  switch (error.code) {
    case 'TRANSACTION_MISMATCH':
    case 'ADDRESS_MISMATCH':
    case 'SIGN_IN_MISMATCH':
      return {
        title: 'The service returned something other than what you asked for.',
        remedy: `Nothing was signed. Do not continue, and tell the operator: ${error.error}.`,
      };
    case 'SIGNED_MISMATCH':
      return {
        title: 'Your wallet signed something other than what was shown.',
        remedy: 'It was not sent. Do not use this wallet here before you know why.',
      };
    case 'NO_REPLY':
      return {
        title: 'The service does not respond.',
        remedy: 'Check your connection, then try again.',
      };
    case 'TRANSACTION_FAILED':
      return { title: 'The chain refused the transaction.', remedy: error.detail ?? error.error };
    case 'TRANSACTION_EXPIRED':
      return {
        title: 'The transaction has expired.',
        remedy: 'It was not executed and can no longer be. Nothing has changed: try again.',
      };
    case 'PENDING':
      return {
        title: 'The outcome is not known yet.',
        remedy: 'The transaction was sent and may still take effect. Look again in a minute.',
      };
    default:
      return { title: `The service refused: ${error.error}.`, remedy: error.remedy ?? '' };
  }
}
