import { isAgentWalletError } from '@agent-wallet/sdk/owner';
import { WalletError } from '../wallet/wallet-error.ts';
import { describeFailure } from './describe-failure.ts';

/** What went wrong, and what to do, for people. */
export type Described = { readonly title: string; readonly remedy: string };

/**
 * Words for an error of the client, of the wallet or of the page itself. Failures of transactions
 * have those of {@link describeFailure}.
 */
export function describeError(error: unknown): Described {
  if (error instanceof WalletError) {
    return { title: 'Your wallet did not sign.', remedy: `It says: ${error.message}` };
  }
  if (!isAgentWalletError(error)) {
    const detail = error instanceof Error ? error.message : String(error);
    return { title: 'Something went wrong.', remedy: detail };
  }
  switch (error.code) {
    case 'ADDRESS_MISMATCH':
    case 'SIGN_IN_MISMATCH':
      return {
        title: 'The service returned something other than what you asked for.',
        remedy: `Nothing was signed. Do not continue, and tell the operator: ${error.error}.`,
      };
    case 'NO_REPLY':
      return {
        title: 'The service does not respond.',
        remedy: 'Check your connection, then try again.',
      };
    case 'TRANSACTION_MISMATCH':
    case 'SIGNED_MISMATCH':
    case 'TRANSACTION_FAILED':
    case 'TRANSACTION_EXPIRED':
    case 'PENDING': {
      const { title, text } = describeFailure(error, 'sending');
      return { title: `${title}.`, remedy: text };
    }
    default:
      return { title: `The service refused: ${error.error}.`, remedy: error.remedy ?? '' };
  }
}
