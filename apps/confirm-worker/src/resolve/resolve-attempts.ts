import {
  agreeOn,
  type AttemptVerdict,
  decideAttempt,
  needsCorroboration,
  type Rpc,
  type RpcPool,
  type SessionAtSlot,
  type SignatureStatus,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { WatchedAttempt } from '@agent-wallet/spend';
import { type Landed, readSessions, readStatuses, spendSeqOf } from './attempt-facts.ts';
import type { Metrics } from '../metrics.ts';

/** An attempt with its signature status and the verdict of the chain. */
export type ResolvedAttempt = {
  readonly attempt: WatchedAttempt;
  readonly status: SignatureStatus | null;
  readonly verdict: AttemptVerdict;
};

/** A unique key of an attempt. */
export function keyOf(attempt: Pick<WatchedAttempt, 'spendId' | 'attemptNo'>): string {
  return `${attempt.spendId} ${attempt.attemptNo}`;
}

/** No blockhash expires sooner than this, however short the slots are. */
const READ_HEIGHT_AFTER_MS = 3_000;

/** `landed` has statuses that were read a moment before, from any endpoint. */
export type ResolveAttempts = (
  attempts: readonly WatchedAttempt[],
  landed?: Landed,
) => Promise<readonly ResolvedAttempt[]>;

type AttemptRpc = Pick<Rpc, 'signatureStatuses' | 'heightAndSlot' | 'accounts'>;

type AttemptDeps = {
  readonly pool: Pick<RpcPool, 'size' | 'read' | 'readable'>;
  readonly program: WalletProgram;
  readonly metrics: Pick<Metrics, 'uncorroborated'>;
};

/**
 * Resolves a batch of attempts to verdicts with the facts of one endpoint. With several endpoints,
 * an expiry stays pending until a second endpoint reaches the same verdict on its own facts.
 * Throws RPC_UNAVAILABLE when the first endpoint fails; no attempt then has a verdict.
 */
export function createResolveAttempts(deps: AttemptDeps): ResolveAttempts {
  const { pool, program } = deps;
  return async (attempts, landed = new Map()) => {
    const first = await pool.read(async (rpc, index) => ({
      index,
      resolved: await resolveOn(rpc, program, attempts, landed),
    }));
    if (pool.size === 1) return first.resolved;
    const others = pool.readable().filter(({ index }) => index !== first.index);
    return corroborate(deps, first.resolved, others);
  };
}

async function corroborate(
  { program, metrics }: AttemptDeps,
  resolved: readonly ResolvedAttempt[],
  others: readonly { readonly rpc: AttemptRpc }[],
): Promise<readonly ResolvedAttempt[]> {
  let unsure = resolved.filter(({ verdict }) => needsCorroboration(verdict));
  const agreed = new Map<string, ResolvedAttempt>();
  for (const { rpc } of others) {
    if (unsure.length === 0) break;
    const attempts = unsure.map(({ attempt }) => attempt);
    // An endpoint that fails corroborates nothing; the next one may.
    const second = await resolveOn(rpc, program, attempts, new Map()).catch(() => []);
    for (const [place, other] of second.entries()) {
      const own = unsure[place];
      const verdict = own === undefined ? null : agreeOn(own.verdict, other.verdict);
      if (verdict !== null) agreed.set(keyOf(other.attempt), { ...other, verdict });
    }
    unsure = unsure.filter(({ attempt }) => !agreed.has(keyOf(attempt)));
  }
  metrics.uncorroborated.inc(unsure.length);
  const open = new Set(unsure);
  return resolved.map((own) => {
    if (open.has(own)) return { ...own, verdict: { kind: 'pending' } };
    return agreed.get(keyOf(own.attempt)) ?? own;
  });
}

/**
 * Resolves attempts on one endpoint. Reads the finalized height once an attempt is old enough, then
 * statuses, then the sessions of attempts without a known signature, and last the finalized
 * sessions of attempts whose last valid height has passed.
 */
async function resolveOn(
  rpc: AttemptRpc,
  program: WalletProgram,
  attempts: readonly WatchedAttempt[],
  landed: Landed,
): Promise<readonly ResolvedAttempt[]> {
  // The height first: a landing between the two reads then shows in the later one. What had landed
  // before stands.
  const isAnyOld = attempts.some(({ storedMsAgo }) => storedMsAgo > READ_HEIGHT_AFTER_MS);
  const finalized = isAnyOld ? await rpc.heightAndSlot('finalized') : null;
  const statuses = await readStatuses(rpc, attempts, landed);
  const unsigned = attempts.filter(({ signature }) => signature === null);
  const seen = await readSessions(rpc, program, unsigned, { commitment: 'confirmed' });
  const resolve = (attempt: WatchedAttempt, session: SessionAtSlot | null): ResolvedAttempt => {
    const { signature, sessionPda, sessionIndex, lastValidBlockHeight } = attempt;
    const status = statuses.get(signature ?? '') ?? null;
    const verdict = decideAttempt({
      spendSeq: spendSeqOf(attempt),
      sessionIndex,
      lastValidBlockHeight,
      status,
      finalized,
      session,
      seen: signature === null ? (seen.get(sessionPda) ?? null) : null,
    });
    return { attempt, status, verdict };
  };
  const first = attempts.map((attempt) => resolve(attempt, null));
  const isOpen = ({ verdict }: ResolvedAttempt): boolean => verdict.kind === 'needs_session';
  const open = first.filter(isOpen).map(({ attempt }) => attempt);
  if (open.length === 0 || finalized === null) return first;
  const sessions = await readSessions(rpc, program, open, {
    commitment: 'finalized',
    minContextSlot: finalized.slot,
  });
  return first.map((one) =>
    isOpen(one) ? resolve(one.attempt, sessions.get(one.attempt.sessionPda) ?? null) : one,
  );
}
