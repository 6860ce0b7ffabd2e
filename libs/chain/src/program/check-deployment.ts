/** Whether the program and the mint of the settings are what they must be on this chain. */

import { MINT_SIZE, MintLayout, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { AppError } from '@agent-wallet/errors';

import { type Deployment, parseAddress } from './addresses.ts';
import type { AccountSnapshot } from '../rpc/chain-reads.ts';
import type { Rpc } from '../rpc/rpc.ts';

const USDC_DECIMALS = 6;
const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();
/** Programs whose accounts can be called; the account alone does not tell in every node's answer. */
const LOADERS: ReadonlySet<string> = new Set([
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
]);

/**
 * Asked once by every process before it trusts its settings: a wrong program or mint must neither
 * be stored as this database's own nor be built into a transaction.
 *
 * Throws SERVER_MISCONFIGURED naming the setting, RPC_UNAVAILABLE when the chain does not answer.
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
