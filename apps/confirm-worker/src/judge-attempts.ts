import {
  type AttemptVerdict,
  decideAttempt,
  type HeightAndSlot,
  type Rpc,
  type SessionState,
  type SignatureStatus,
  type WalletProgram,
} from '@agent-wallet/chain';
import type { WatchedAttempt } from '@agent-wallet/spend';

/** An attempt with what the chain said about it. */
export type JudgedAttempt = {
  readonly attempt: WatchedAttempt;
  readonly status: SignatureStatus | null;
  readonly verdict: AttemptVerdict;
};

/** Signatures older than this may have left a node's short-term memory. */
const SEARCH_HISTORY_AFTER_MS = 30_000;
/** No blockhash dies sooner than this, however fast the slots are. */
const ASK_HEIGHT_AFTER_MS = 3_000;

/**
 * Asks the chain about a batch of attempts in as few calls as possible: statuses, then the
 * finalized height where a status is missing, then the sessions where that height is past.
 * Throws RPC_UNAVAILABLE; then nothing is known about any of them.
 */
export function createJudgeAttempts({
  rpc,
  program,
}: {
  readonly rpc: Pick<Rpc, 'signatureStatuses' | 'heightAndSlot' | 'accounts'>;
  readonly program: WalletProgram;
}): (attempts: readonly WatchedAttempt[]) => Promise<readonly JudgedAttempt[]> {
  return async (attempts) => {
    // The height first: a landing between the two reads then shows in the later one.
    const isAnyOld = attempts.some(({ storedMsAgo }) => storedMsAgo > ASK_HEIGHT_AFTER_MS);
    const finalized = isAnyOld ? await rpc.heightAndSlot('finalized') : null;
    const statuses = await readStatuses(rpc, attempts);
    const first = attempts.map((attempt): JudgedAttempt => {
      const status = statuses.get(attempt.signature) ?? null;
      return { attempt, status, verdict: decide(attempt, status, finalized, null) };
    });
    const open = first.filter(({ verdict }) => verdict.kind === 'needs_session');
    if (open.length === 0 || finalized === null) return first;
    const sessions = await readSessions(rpc, program, open, finalized.slot);
    return first.map((judged) => {
      if (judged.verdict.kind !== 'needs_session') return judged;
      const session = sessions.get(judged.attempt.sessionPda) ?? null;
      const verdict = decide(judged.attempt, judged.status, finalized, session);
      return { ...judged, verdict };
    });
  };
}

type SessionAtSlot = { readonly slot: bigint; readonly state: SessionState | null };

function decide(
  attempt: WatchedAttempt,
  status: SignatureStatus | null,
  finalized: HeightAndSlot | null,
  session: SessionAtSlot | null,
): AttemptVerdict {
  const { lastValidBlockHeight, sessionIndex } = attempt;
  const spendSeq = spendSeqOf(attempt);
  return decideAttempt({
    spendSeq,
    sessionIndex,
    lastValidBlockHeight,
    status,
    finalized,
    session,
  });
}

/** A claimed spend always has one: the database says so. */
export function spendSeqOf(attempt: WatchedAttempt): bigint {
  if (attempt.spendSeq === null) throw new TypeError(`spend ${attempt.spendId} has no sequence`);
  return attempt.spendSeq;
}

async function readStatuses(
  rpc: Pick<Rpc, 'signatureStatuses'>,
  attempts: readonly WatchedAttempt[],
): Promise<ReadonlyMap<string, SignatureStatus | null>> {
  const found = new Map<string, SignatureStatus | null>();
  for (const searchHistory of [false, true]) {
    const signatures = attempts
      .filter(({ storedMsAgo }) => storedMsAgo > SEARCH_HISTORY_AFTER_MS === searchHistory)
      .map(({ signature }) => signature);
    if (signatures.length === 0) continue;
    const { statuses } = await rpc.signatureStatuses(signatures, { searchHistory });
    for (const [index, signature] of signatures.entries()) {
      found.set(signature, statuses[index] ?? null);
    }
  }
  return found;
}

async function readSessions(
  rpc: Pick<Rpc, 'accounts'>,
  program: WalletProgram,
  open: readonly JudgedAttempt[],
  minContextSlot: bigint,
): Promise<ReadonlyMap<string, SessionAtSlot>> {
  const addresses = [...new Set(open.map(({ attempt }) => attempt.sessionPda))];
  const read = await rpc.accounts(addresses, { commitment: 'finalized', minContextSlot });
  return new Map(
    addresses.map((address, index) => {
      const account = read.accounts[index] ?? null;
      const state = account === null ? null : program.decodeSession(account);
      return [address, { slot: read.slot, state }];
    }),
  );
}
