import { listStuck } from '@agent-wallet/spend';
import { EXIT } from '../../cli-error.ts';
import { done, type Outcome } from '../../command-line/outcome.ts';
import { tableOf } from '../../terminal/table.ts';
import type { OpsConfig } from '../config.ts';
import { openDatabase } from './open-database.ts';
import { readFacts } from './read-facts.ts';
import { waitsFor } from './waits-for.ts';

/**
 * `ops stuck`: the spends that have waited for long, and what each waits for. Exit code 1 when there
 * is one.
 */
export async function stuckCommand(
  config: OpsConfig,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<Outcome> {
  await using stack = new AsyncDisposableStack();
  const db = await openDatabase(stack, config);
  const [stuck, facts] = await Promise.all([listStuck(db, { olderThanMs, limit }), readFacts(db)]);
  const rows = stuck.map((spend) => ({ spend, wait: waitsFor(spend, facts) }));
  const json = {
    stuck: rows.map(({ spend, wait }) => ({
      spend_id: spend.spendId,
      wallet_id: spend.walletId,
      session_id: spend.sessionId,
      kind: spend.kind,
      status: spend.status,
      age_seconds: Math.floor(spend.ageSeconds),
      attempt: spend.attempt,
      tx_signature: spend.txSignature,
      waits_for: wait.cause,
      reason: wait.sentence,
    })),
  };
  if (rows.length === 0) {
    return done(`No spend has waited for more than ${olderThanMs / 1_000} s.`, json);
  }
  const table = tableOf(
    ['SPEND', 'WALLET', 'STATUS', 'AGE', 'WAITS FOR', 'REASON'],
    rows.map(({ spend, wait }) => [
      spend.spendId,
      spend.walletId,
      spend.status,
      `${Math.floor(spend.ageSeconds)} s`,
      wait.cause,
      wait.sentence,
    ]),
  );
  return { exitCode: EXIT.refused, text: table, json };
}
