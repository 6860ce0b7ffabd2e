import { isAgentWalletError } from '@agent-wallet/sdk/owner';

/** The wallet did not do what the page wanted: most often because its owner said no. */
export class WalletError extends Error {
  override readonly name = 'WalletError';
  /** As the wallet gave it; 4001 is a refusal by its owner. */
  readonly code: unknown;

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, options);
    const { cause } = options;
    this.code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : null;
  }
}

/**
 * Waits for a wallet, whose errors are of any shape. Throws a WalletError with its text; an error of
 * the client, which looked at the reply, passes through.
 */
export async function fromWallet<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (cause) {
    if (isAgentWalletError(cause)) throw cause;
    throw new WalletError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
