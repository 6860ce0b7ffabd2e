/** Checks that the configured program and mint are the expected ones on this chain. */

import { MINT_SIZE, MintLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { AppError } from '@agent-wallet/errors';

import { type Deployment, parseAddress } from './addresses.ts';
import type { AccountSnapshot } from '../rpc/read/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';

const USDC_DECIMALS = 6;
const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();
/** Loaders of callable programs; some nodes do not report `executable` reliably. */
const LOADERS: ReadonlySet<string> = new Set([
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
]);

/**
 * Each process calls this once before it trusts its settings: a wrong program or mint must neither
 * be stored in the database nor used in a transaction.
 *
 * Throws SERVER_MISCONFIGURED that names the setting, or RPC_UNAVAILABLE when the chain does not
 * respond.
 */
export async function checkDeployment(
  rpc: Pick<Rpc, 'accounts'>,
  { programId, usdcMint }: Deployment,
): Promise<void> {
  for (const [name, address] of Object.entries({ PROGRAM_ID: programId, USDC_MINT: usdcMint })) {
    if (parseAddress(address) === null) throw misconfigured(`${name} is missing or no address`);
  }
  const { accounts } = await rpc.accounts([programId, usdcMint], { commitment: 'confirmed' });
  const [program = null, mint = null] = accounts;
  if (program === null || !LOADERS.has(program.owner)) {
    throw misconfigured('PROGRAM_ID is no program on this chain');
  }
  if (!isUsdcMint(mint)) throw misconfigured('USDC_MINT is no mint of 6 decimals on this chain');
}

function isUsdcMint(account: AccountSnapshot | null): boolean {
  if (account?.owner !== TOKEN_PROGRAM || account.data.length !== MINT_SIZE) return false;
  const { isInitialized, decimals } = MintLayout.decode(account.data);
  return isInitialized && decimals === USDC_DECIMALS;
}

const misconfigured = (reason: string): AppError =>
  new AppError('SERVER_MISCONFIGURED', { reason });
