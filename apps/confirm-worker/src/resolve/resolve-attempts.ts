import {
  agreeOn,
  type AttemptFacts,
  type AttemptVerdict,
  decideAttempt,
  needsCorroboration,
  type Rpc,
  type RpcPool,
  type SignatureStatus,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { WatchedAttempt } from '@agent-wallet/spend';
import { readSessions, readStatuses } from './attempt-facts.ts';
import type { Metrics } from '../metrics.ts';

/** An attempt with what the chain said about it. */
export type JudgedAttempt = {
  readonly attempt: WatchedAttempt;
  readonly status: SignatureStatus | null;
  readonly verdict: AttemptVerdict;
};

/** Names an attempt for ever. */
export function keyOf({
  spendId,
  attemptNo,
}: {
  readonly spendId: string;
  readonly attemptNo: number;
}): string {
  return `${spendId} ${attemptNo}`;
}

/** No blockhash dies sooner than this, however fast the slots are. */
const ASK_HEIGHT_AFTER_MS = 3_000;

type JudgeRpc = Pick<Rpc, 'signatureStatuses' | 'heightAndSlot' | 'accounts'>;

type JudgeDeps = {
  readonly pool: Pick<RpcPool, 'size' | 'read' | 'readable'>;
  readonly program: WalletProgram;
  readonly metrics: Pick<Metrics, 'unwitnessed'>;
};

/**
 * Judges a batch of attempts by the answers of one endpoint. With several endpoints an attempt is
 * expired only when a second one says so as well, by its own answers; until then it is pending.
 * Throws RPC_UNAVAILABLE; then nothing is known about any of them.
 */
export function createJudgeAttempts(
  deps: JudgeDeps,
): (attempts: readonly WatchedAttempt[]) => Promise<readonly JudgedAttempt[]> {
  const { pool, program } = deps;
  return async (attempts) => {
    const first = await pool.read(async (rpc, index) => ({
      index,
      judged: await judgeOn(rpc, program, attempts),
    }));
    if (pool.size === 1) return first.judged;
    const others = pool.readable().filter(({ index }) => index !== first.index);
    return withWitnesses(deps, first.judged, others);
  };
}

async function withWitnesses(
  { program, metrics }: JudgeDeps,
  judged: readonly JudgedAttempt[],
  others: readonly { readonly rpc: JudgeRpc }[],
): Promise<readonly JudgedAttempt[]> {
  let unsure = judged.filter(({ verdict }) => needsCorroboration(verdict));
  const settled = new Map<string, JudgedAttempt>();
  for (const { rpc } of others) {
    if (unsure.length === 0) break;
    const attempts = unsure.map(({ attempt }) => attempt);
    // An endpoint that does not answer is no witness; the next one may be.
    const second = await judgeOn(rpc, program, attempts).catch(() => []);
    for (const [place, other] of second.entries()) {
      const own = unsure[place];
      const verdict = own === undefined ? null : agreeOn(own.verdict, other.verdict);
      if (verdict !== null) settled.set(keyOf(other.attempt), { ...other, verdict });
    }
    unsure = unsure.filter(({ attempt }) => !settled.has(keyOf(attempt)));
  }
  metrics.unwitnessed.inc(unsure.length);
  const open = new Set(unsure);
  return judged.map((own) => {
    if (open.has(own)) return { ...own, verdict: { kind: 'pending' } };
    return settled.get(keyOf(own.attempt)) ?? own;
  });
}

/**
 * Asks one endpoint in as few calls as possible: the finalized height once an attempt is old
 * enough, statuses, the sessions of attempts without a known signature, then the finalized sessions
 * where that height is past.
 */
async function judgeOn(
  rpc: JudgeRpc,
  program: WalletProgram,
  attempts: readonly WatchedAttempt[],
): Promise<readonly JudgedAttempt[]> {
  // The height first: a landing between the two reads then shows in the later one.
  const isAnyOld = attempts.some(({ storedMsAgo }) => storedMsAgo > ASK_HEIGHT_AFTER_MS);
  const finalized = isAnyOld ? await rpc.heightAndSlot('finalized') : null;
  const statuses = await readStatuses(rpc, attempts);
  const unsigned = attempts.filter(({ signature }) => signature === null);
  const seen = await readSessions(rpc, program, unsigned, { commitment: 'confirmed' });
  const factsOf = (attempt: WatchedAttempt): Omit<Facts, 'session'> => ({
    status: statuses.get(attempt.signature ?? '') ?? null,
    finalized,
    seen: attempt.signature === null ? (seen.get(attempt.sessionPda) ?? null) : null,
  });
  const first = attempts.map((attempt): JudgedAttempt => {
    const facts = factsOf(attempt);
    return { attempt, status: facts.status, verdict: decide(attempt, { ...facts, session: null }) };
  });
  const open = first.filter(({ verdict }) => verdict.kind === 'needs_session');
  if (open.length === 0 || finalized === null) return first;
  const sessions = await readSessions(
    rpc,
    program,
    open.map(({ attempt }) => attempt),
    { commitment: 'finalized', minContextSlot: finalized.slot },
  );
  return first.map((judged) => {
    if (judged.verdict.kind !== 'needs_session') return judged;
    const { attempt } = judged;
    const session = sessions.get(attempt.sessionPda) ?? null;
    return { ...judged, verdict: decide(attempt, { ...factsOf(attempt), session }) };
  });
}

type Facts = Pick<AttemptFacts, 'status' | 'finalized' | 'session' | 'seen'>;

function decide(attempt: WatchedAttempt, facts: Facts): AttemptVerdict {
  const { lastValidBlockHeight, sessionIndex } = attempt;
  return decideAttempt({
    spendSeq: spendSeqOf(attempt),
    sessionIndex,
    lastValidBlockHeight,
    ...facts,
  });
}

/** A claimed spend always has one: the database says so. */
export function spendSeqOf(attempt: WatchedAttempt): bigint {
  if (attempt.spendSeq === null) throw new TypeError(`spend ${attempt.spendId} has no sequence`);
  return attempt.spendSeq;
}
