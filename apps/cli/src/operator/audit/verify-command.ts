import { createWalletProgram, openRpcPool } from '@agent-wallet/chain';
import { createDatabase, type Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { CliError, EXIT } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import type { Config } from '../config.ts';
import { refuseOtherDeployment } from '../deployment.ts';
import { emptyTotals, sentenceOf, type Totals, withWallet } from './totals.ts';
import { type VerifyDeps, verifyWallet } from './verify-wallet.ts';
import { listWallets } from '@agent-wallet/wallet';

const RPC_TIMEOUT_MS = 20_000;
const STATEMENT_TIMEOUT_MS = 120_000;

/**
 * `audit verify`: one line, a summary or the first difference, which is exit code 1. Throws when the
 * log could not be verified.
 */
export async function verifyCommand(config: Config, walletId: string | null): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await createDatabase({
    url: config.databaseUrl,
    poolSize: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    // A few queries over whole tables.
    prepare: false,
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
  // All reads use one endpoint, because two endpoints may be at different slots.
  const outcome = await (pool === null ? verify(null) : pool.read(verify));
  if (typeof outcome === 'string') {
    const json = { equal: false, summary: outcome };
    return { exitCode: EXIT.refused, text: outcome, json };
  }
  const summary = sentenceOf(outcome, await countDiscrepancies(db, walletId));
  const { wallets, rows, events } = outcome;
  return done(summary, { equal: true, summary, wallets, log_rows: rows, events });
}

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
