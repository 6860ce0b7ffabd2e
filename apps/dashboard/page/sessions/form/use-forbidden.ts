import { useMemo } from 'preact/hooks';
import { useSettings } from '../../owner/deployment.tsx';
import { useVault } from '../../owner/vault-context.tsx';

/** Addresses that cannot be recipients, and what each is. */
export function useForbidden(): ReadonlyMap<string, string> {
  const { vaultPda, vaultUsdcAta } = useVault().wallet;
  const { usdcMint, programId } = useSettings();
  return useMemo(
    () =>
      new Map([
        [vaultPda, 'your vault'],
        [vaultUsdcAta, 'the token account of your vault'],
        [usdcMint, 'the address of USDC itself'],
        [programId, 'the program'],
      ]),
    [vaultPda, vaultUsdcAta, usdcMint, programId],
  );
}
