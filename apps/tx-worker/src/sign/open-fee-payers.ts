import {
  createLocalSigner,
  createRemoteSigner,
  type Signer,
  type VaultAccess,
} from '@agent-wallet/signer';
import type { Config } from '../config.ts';

/** The pool of fee payers: the keys in the settings, then those that another system keeps. */
export async function openFeePayers(
  settings: Pick<Config, 'FEE_PAYER_KEYS' | 'FEE_PAYER_SIGNERS'>,
  vault: VaultAccess | null,
): Promise<readonly Signer[]> {
  const { FEE_PAYER_KEYS, FEE_PAYER_SIGNERS } = settings;
  const remote = FEE_PAYER_SIGNERS.map((key) => createRemoteSigner(key, vault));
  return [...FEE_PAYER_KEYS.map(createLocalSigner), ...(await Promise.all(remote))];
}
