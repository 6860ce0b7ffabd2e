import { findLostHead } from '@agent-wallet/audit';
import type { Database } from '@agent-wallet/db';
import { CliError } from '../../cli-error.ts';
import type { Config } from '../config.ts';
import { type HeadsFile, headsOf } from './heads-file.ts';

type Comparison =
  | { readonly kind: 'contained'; readonly heads: number; readonly keptAt: string }
  | { readonly kind: 'differs'; readonly what: string };

/**
 * Compares the chains with the heads of a file; only those of one wallet with a `walletId`. Throws a
 * CliError when the file is of another deployment, or has no head of that wallet.
 */
export async function compareHeads(
  db: Database,
  file: HeadsFile,
  {
    programId,
    usdcMint,
    genesisHash,
    walletId,
  }: Pick<Config, 'programId' | 'usdcMint'> & {
    readonly genesisHash: string | null;
    readonly walletId: string | null;
  },
): Promise<Comparison> {
  const isSameChain = [null, genesisHash].includes(file.genesis_hash);
  if (file.program_id !== programId || file.usdc_mint !== usdcMint || !isSameChain) {
    throw new CliError('The file of heads belongs to another chain, program or mint.');
  }
  const heads = headsOf(file).filter((head) => walletId === null || head.walletId === walletId);
  if (walletId !== null && heads.length === 0) {
    throw new CliError(`The file of heads has none of wallet ${walletId}: it may be older.`);
  }
  const lost = await findLostHead(db, heads);
  if (lost === null) return { kind: 'contained', heads: heads.length, keptAt: file.created_at };
  const { head, why } = lost;
  return {
    kind: 'differs',
    what: `wallet ${head.walletId}: log row ${head.seq} is not that of ${file.created_at}: ${why}`,
  };
}
