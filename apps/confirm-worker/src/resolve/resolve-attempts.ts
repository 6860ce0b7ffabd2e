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

/**
 * An attempt with its signature status and the verdict of the chain. `fault` is why a fact that the
 * verdict may need could not be read; the attempt is then open.
 */
export type ResolvedAttempt = {
  readonly attempt: WatchedAttempt;
  readonly status: SignatureStatus | null;
  readonly verdict: AttemptVerdict;
  readonly fault?: unknown;
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
 * Throws RPC_UNAVAILABLE when the statuses cannot be read; no attempt then has a verdict. Any other
 * read that fails leaves only the attempts open that need it.
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
  let unsure = resolved.filter(isUnsure);
  const agreed = new Map<string, ResolvedAttempt>();
  for (const { rpc } of others) {
    if (unsure.length === 0) break;
    const attempts = unsure.map(({ attempt }) => attempt);
    // An endpoint that fails corroborates nothing; the next one may.
    const second = await resolveOn(rpc, program, attempts, new Map()).catch(() => []);
    unsure = unsure.flatMap((own, place) => {
      const { known, isAgreed } = jointOf(own, second[place]);
      if (!isAgreed) return [known];
      agreed.set(keyOf(own.attempt), known);
      return [];
    });
  }
  metrics.uncorroborated.inc(unsure.filter(({ fault }) => fault === undefined).length);
  const open = new Map(unsure.map((one) => [keyOf(one.attempt), one]));
  return resolved.map((own) => {
    const key = keyOf(own.attempt);
    const left = open.get(key);
    return left === undefined ? (agreed.get(key) ?? own) : { ...left, verdict: PENDING };
  });
}

const PENDING: AttemptVerdict = { kind: 'pending' };

function isUnsure({ verdict, fault }: ResolvedAttempt): boolean {
  return fault !== undefined || needsCorroboration(verdict);
}

type Joint = { readonly known: ResolvedAttempt; readonly isAgreed: boolean };

/** What two endpoints know of an attempt; the second one replaces a first that failed. */
function jointOf(own: ResolvedAttempt, other: ResolvedAttempt | undefined): Joint {
  if (other === undefined || other.fault !== undefined) return { known: own, isAgreed: false };
  if (own.fault !== undefined) {
    return { known: other, isAgreed: !needsCorroboration(other.verdict) };
  }
  const verdict = agreeOn(own.verdict, other.verdict);
  if (verdict === null) return { known: own, isAgreed: false };
  return { known: { ...other, verdict }, isAgreed: true };
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
  const faults: Faults = new Map();
  // The height first: a landing between the two reads then shows in the later one. What had landed
  // before stands.
  const old = attempts.filter(({ storedMsAgo }) => storedMsAgo > READ_HEIGHT_AFTER_MS);
  const finalized =
    old.length === 0 ? null : await tryFor(old, faults, () => rpc.heightAndSlot('finalized'));
  const statuses = await readStatuses(rpc, attempts, { landed, finalized });
  const unsigned = attempts.filter(({ signature }) => signature === null);
  const seen = await tryFor(unsigned, faults, () =>
    readSessions(rpc, program, unsigned, { commitment: 'confirmed' }),
  );
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
      seen: signature === null ? (seen?.get(sessionPda) ?? null) : null,
    });
    const isOpen = verdict.kind === 'pending' || verdict.kind === 'needs_session';
    const fault = isOpen && status === null ? faults.get(keyOf(attempt)) : undefined;
    return { attempt, status, verdict, ...(fault === undefined ? {} : { fault }) };
  };
  const first = attempts.map((attempt) => resolve(attempt, null));
  const isOpen = ({ verdict }: ResolvedAttempt): boolean => verdict.kind === 'needs_session';
  const open = first.filter(isOpen).map(({ attempt }) => attempt);
  if (open.length === 0 || finalized === null) return first;
  const sessions = await tryFor(open, faults, () =>
    readSessions(rpc, program, open, { commitment: 'finalized', minContextSlot: finalized.slot }),
  );
  return first.map((one) =>
    isOpen(one) ? resolve(one.attempt, sessions?.get(one.attempt.sessionPda) ?? null) : one,
  );
}

/** By attempt, why a fact that it may need could not be read. */
type Faults = Map<string, unknown>;

/** Null when the read fails, which must not keep the attempts that need no such fact. */
async function tryFor<T>(
  attempts: readonly WatchedAttempt[],
  faults: Faults,
  read: () => Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    for (const attempt of attempts) faults.set(keyOf(attempt), error);
    return null;
  }
}
