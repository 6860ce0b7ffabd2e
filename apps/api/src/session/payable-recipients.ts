import type { Database } from '@agent-wallet/db';
import type { ChainAccess } from '../chain/chain-access.ts';
import { badRequest } from '../http/http-refusal.ts';
import { findSessionKeys } from '@agent-wallet/wallet';

/**
 * Refuses recipients that are not wallets with 400. A recipient owns token accounts: money sent to
 * a token account, a mint, a part of this wallet or a session key would be lost or come back.
 */
export async function refuseUnpayable(
  deps: { readonly db: Database; readonly chain: ChainAccess },
  owner: string,
  recipients: readonly string[],
): Promise<void> {
  const { chain } = deps;
  const { vaultPda, vaultUsdcAta, yieldPda } = chain.addressesOf(owner);
  const own = new Map([
    [vaultPda, 'the vault'],
    [vaultUsdcAta, "the vault's token account"],
    [yieldPda, "the vault's yield account"],
    [chain.usdcMint, 'the USDC mint'],
  ]);
  const [tokenAccounts, sessionKeys] = await Promise.all([
    chain.findTokenAccounts(recipients),
    findSessionKeys(deps.db, recipients),
  ]);
  const whatIs = (recipient: string): string | null => {
    if (sessionKeys.has(recipient)) return 'a session key';
    if (tokenAccounts.has(recipient)) return 'a token account or mint';
    return own.get(recipient) ?? null;
  };
  recipients.forEach((recipient, i) => {
    const what = whatIs(recipient);
    if (what !== null) {
      throw badRequest(`allowed_recipients[${i}] must be a wallet address, not ${what}`);
    }
  });
}
