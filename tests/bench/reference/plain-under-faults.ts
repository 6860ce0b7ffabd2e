/** The plain handler under the faults of tests/chaos, and what became of its transfers. */
import { setTimeout as delay } from 'node:timers/promises';
import { createRpc, createWalletProgram } from '@agent-wallet/chain';
import { USDC_MINT, localProgramId } from '@agent-wallet/local-system/chain/chain-facts.ts';
import { Client } from 'pg';
import { z } from 'zod';
import { readLandings } from '../../chaos/check/chain-ledger.ts';
import { runLoad } from '../../chaos/world/load.ts';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import { startFaultProxy } from '../../support/rpc-proxy/fault-proxy.ts';
import { createFaultPlan } from '../../support/rpc-proxy/plan.ts';
import { PROFILES } from '../../support/rpc-proxy/profiles.ts';
import { openPlainStage, type PlainStage } from './open-plain-stage.ts';

/** As in the worlds of tests/chaos: bytes expire after 7.5 s. */
const SLOT_TIME_MS = 50;
const SESSIONS = 24;
const BETWEEN_KILLS_MS = [300, 4_000] as const;
/** Longer than it takes bytes to expire, and so a handler to give up. */
const REST_MS = 15_000;

const countRow = z.object({ rows: z.number(), open: z.number() });

export async function runPlainUnderFaults(options: {
  /** Of any database in the Postgres to use. */
  readonly databaseUrl: string;
  readonly isCareful: boolean;
  readonly driveMs: number;
  readonly clients: number;
  readonly seed: string;
}): Promise<{
  readonly spends: number;
  readonly faults: number;
  readonly landedTwice: number;
  /** Rows at rest that do not say what became of their transfer. */
  readonly lost: number;
}> {
  const { isCareful, clients: atOnce, seed } = options;
  await using stack = new AsyncDisposableStack();
  const over = new AbortController();
  const { signal } = over;
  const plan = createFaultPlan({ seed, profile: PROFILES.drops, isOn: () => !signal.aborted });
  const stage = stack.use(
    await openPlainStage({
      databaseUrl: options.databaseUrl,
      name: isCareful ? 'careful_faults' : 'plain_faults',
      wallets: 1,
      sessionsEach: SESSIONS,
      isCareful,
      slotTimeMs: SLOT_TIME_MS,
      rpcUrlFor: async (chainRpcUrl) =>
        stack.use(await startFaultProxy(chainRpcUrl, (call) => plan.decide(call))).url,
    }),
  );
  const api = {
    urls: {
      get api() {
        return stage.urls[0] ?? '';
      },
    },
  };
  const recipients = stage.agents.slice(0, 1).map(({ recipient }) => recipient);
  const timer = setTimeout(() => over.abort(), options.driveMs);
  const ends = await Promise.all([
    killAtRandom(stage, seed, signal),
    runLoad({ seed, apis: [api] }, { agents: stage.agents, recipients }, { atOnce, signal }),
  ]).finally(() => {
    over.abort();
    clearTimeout(timer);
  });
  await delay(REST_MS);
  const { rows, open } = await countRows(stage.databaseUrl);
  return {
    spends: rows,
    faults: plan.faults() + ends[0],
    landedTwice: await countTwice(stage),
    lost: open,
  };
}

/** Returns the number of kills. */
async function killAtRandom(stage: PlainStage, seed: string, signal: AbortSignal): Promise<number> {
  for (let n = 1; ; n += 1) {
    await delay(drawWhole(BETWEEN_KILLS_MS, seed, 'kill', 'plain-handler', n));
    if (signal.aborted) return n - 1;
    await stage.killAndRestart();
  }
}

/** Each request has its own amount, so two landings of one amount are one too many. */
async function countTwice({ chain }: PlainStage): Promise<number> {
  const rpc = createRpc({ url: chain.rpcUrl, timeoutMs: 5_000 });
  const program = createWalletProgram({ programId: localProgramId(), usdcMint: USDC_MINT });
  const landings = await readLandings({ rpc, program });
  const byAmount = Map.groupBy(landings, ({ amount }) => amount);
  return [...byAmount.values()].filter((same) => same.length > 1).length;
}

async function countRows(databaseUrl: string): Promise<z.infer<typeof countRow>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(`
      select count(*)::int as rows, count(*) filter (where status = 'sent')::int as open
      from plain_spend`);
    return countRow.parse(rows[0]);
  } finally {
    await client.end();
  }
}
