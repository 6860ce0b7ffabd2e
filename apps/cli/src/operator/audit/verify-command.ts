import { createWalletProgram, openRpcPool } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { CliError, EXIT } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { Config } from '../config.ts';
import { refuseOtherDeployment } from '../deployment.ts';
import { compareHeads } from './compare-heads.ts';
import { readHeadsFile } from './heads-file.ts';
import { openLog } from './open-log.ts';
import { emptyTotals, sentenceOf, type Totals, withWallet } from './totals.ts';
import { type VerifyDeps, verifyWallet } from './verify-wallet.ts';
import { listWallets } from '@agent-wallet/wallet';

const RPC_TIMEOUT_MS = 20_000;

/**
 * `audit verify`: one line, a summary or the first difference, which is exit code 1. `against` is a
 * file of `audit heads`, each of which must still be in its chain. Throws when the log could not be
 * verified.
 */
export async function verifyCommand(
  config: Config,
  walletId: string | null,
  against: string | null = null,
): Promise<Outcome> {
  const kept = against === null ? null : await readHeadsFile(against);
  await using stack = new AsyncDisposableStack();
  const db = await openLog(config);
  stack.defer(() => db.end());
  const pool =
    config.rpcUrls === null
      ? null
      : stack.use(await openRpcPool({ urls: config.rpcUrls, timeoutMs: RPC_TIMEOUT_MS }));
  const genesisHash = await refuseOtherDeployment(db, config, pool?.genesisHash ?? null);
  const compared =
    kept === null ? null : await compareHeads(db, kept, { ...config, genesisHash, walletId });
  if (compared?.kind === 'differs') return differing(compared.what);
  const program = createWalletProgram(config);
  const verify = (rpc: VerifyDeps['rpc']): Promise<Totals | string> =>
    verifyAll({ db, program, rpc }, walletId);
  // All reads use one endpoint, because two endpoints may be at different slots.
  const outcome = await (pool === null ? verify(null) : pool.read(verify));
  if (typeof outcome === 'string') return differing(outcome);
  const sentence = sentenceOf(outcome, await countDiscrepancies(db, walletId));
  const summary =
    compared === null
      ? sentence
      : `${sentence}; all ${compared.heads} heads of ${compared.keptAt} are in their chains`;
  const { wallets, rows, events } = outcome;
  const heads = compared?.heads ?? null;
  return done(summary, { equal: true, summary, wallets, log_rows: rows, events, heads });
}

const differing = (summary: string): Outcome => ({
  exitCode: EXIT.refused,
  text: summary,
  json: { equal: false, summary },
});

/** Returns the totals, or a sentence about the first difference. */
async function verifyAll(deps: VerifyDeps, walletId: string | null): Promise<Totals | string> {
  let totals = emptyTotals({ isChainRead: deps.rpc !== null });
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

async function countDiscrepancies(db: Database, walletId: string | null): Promise<number> {
  return db.oneFirst(sql.type(z.object({ records: z.number() }))`
    select count(*)::int as records from unexplained
    where ${walletId}::uuid is null or wallet_id = ${walletId}::uuid
  `);
}
