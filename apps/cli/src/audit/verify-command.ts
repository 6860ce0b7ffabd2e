import { createWalletProgram, openRpcPool } from '@agent-wallet/chain';
import { createDatabase, type Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { Config } from '../config.ts';
import { emptyTotals, sentenceOf, type Totals, withWallet } from './totals.ts';
import { type VerifyDeps, verifyWallet } from './verify-wallet.ts';
import { listWallets } from './wallets.ts';

const RPC_TIMEOUT_MS = 20_000;
const STATEMENT_TIMEOUT_MS = 120_000;

/**
 * `audit verify`: prints one line, the summary or the first thing that differs. Answers the exit
 * code; throws one sentence when it could not verify.
 */
export async function verifyCommand(
  config: Config,
  walletId: string | null,
  print: (line: string) => void,
): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({
    url: config.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  stack.defer(() => db.end());
  const pool =
    config.rpcUrls === null
      ? null
      : stack.use(await openRpcPool({ urls: config.rpcUrls, timeoutMs: RPC_TIMEOUT_MS }));
  await refuseOtherDeployment(db, config, pool?.genesisHash ?? null);
  const program = createWalletProgram(config);
  const verify = (rpc: VerifyDeps['rpc']): Promise<Totals | string> =>
    verifyAll({ db, program, rpc }, walletId);
  // One endpoint from the first call to the last: two may stand at different slots.
  const outcome = await (pool === null ? verify(null) : pool.read(verify));
  if (typeof outcome === 'string') {
    print(outcome);
    return 1;
  }
  print(sentenceOf(outcome, await countUnexplained(db, walletId)));
  return 0;
}

/** The totals, or the sentence on the first difference. */
async function verifyAll(deps: VerifyDeps, walletId: string | null): Promise<Totals | string> {
  let totals = emptyTotals();
  for await (const wallet of listWallets(deps.db, walletId)) {
    const verified = await verifyWallet(deps, wallet);
    if (verified.kind === 'differs') return `wallet ${wallet.walletId}: ${verified.what}`;
    totals = withWallet(totals, verified);
  }
  if (walletId !== null && totals.wallets === 0) {
    throw new CliError(`There is no wallet ${walletId}.`);
  }
  return totals;
}

const deploymentRow = z.object({
  genesisHash: z.string(),
  programId: z.string(),
  usdcMint: z.string(),
});

/** Comparing with another chain, program or mint would find differences that mean nothing. */
async function refuseOtherDeployment(
  db: Database,
  { programId, usdcMint }: Config,
  genesisHash: string | null,
): Promise<void> {
  const stored = await db.maybeOne(sql.type(deploymentRow)`
    select genesis_hash as "genesisHash", program_id as "programId", usdc_mint as "usdcMint"
    from deployment
  `);
  if (stored === null) return;
  const given = { genesisHash: genesisHash ?? stored.genesisHash, programId, usdcMint };
  for (const [field, name] of [
    ['genesisHash', 'chain'],
    ['programId', 'program'],
    ['usdcMint', 'mint'],
  ] as const) {
    if (stored[field] !== given[field]) {
      throw new CliError(`This database belongs to ${name} ${stored[field]}, not ${given[field]}.`);
    }
  }
}

async function countUnexplained(db: Database, walletId: string | null): Promise<number> {
  return db.oneFirst(sql.type(z.object({ records: z.number() }))`
    select count(*)::int as records from unexplained
    where ${walletId}::uuid is null or wallet_id = ${walletId}::uuid
  `);
}
