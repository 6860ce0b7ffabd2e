/** Reads the facts about many attempts from one endpoint, in as few calls as possible. */
import type {
  HeightAndSlot,
  Rpc,
  SessionAtSlot,
  SignatureStatus,
  WalletProgram,
} from '@agent-wallet/chain';
import type { WatchedAttempt } from '@agent-wallet/spend';

/** A node forgets the statuses of older slots, unless its history is searched. */
const SEARCH_HISTORY_AFTER_MS = 30_000;

/** Statuses of transactions that have landed, by signature. */
export type Landed = ReadonlyMap<string, SignatureStatus>;

/** Reads which of these signatures have landed. What cannot be read is left out. */
export async function readLanded(
  rpc: Pick<Rpc, 'signatureStatuses'>,
  signatures: readonly string[],
): Promise<Landed> {
  if (signatures.length === 0) return new Map();
  const read = await rpc.signatureStatuses(signatures, { searchHistory: false }).catch(() => null);
  const landed = new Map<string, SignatureStatus>();
  for (const [index, signature] of signatures.entries()) {
    const status = read?.statuses[index] ?? null;
    if (status !== null) landed.set(signature, status);
  }
  return landed;
}

/**
 * Statuses by signature, for attempts with a known signature. Those of `landed` are not read again.
 * The history is searched for those that may be forgotten, and for all whose last valid height the
 * finalized one has passed: without it, the absence of a landing that failed would count.
 * Throws RPC_UNAVAILABLE.
 */
export async function readStatuses(
  rpc: Pick<Rpc, 'signatureStatuses'>,
  attempts: readonly WatchedAttempt[],
  {
    landed,
    finalized,
  }: { readonly landed: Landed; readonly finalized: Pick<HeightAndSlot, 'blockHeight'> | null },
): Promise<ReadonlyMap<string, SignatureStatus | null>> {
  const found = new Map<string, SignatureStatus | null>(landed);
  const isForgotten = ({ storedMsAgo, lastValidBlockHeight }: WatchedAttempt): boolean =>
    storedMsAgo > SEARCH_HISTORY_AFTER_MS ||
    (finalized !== null && finalized.blockHeight > lastValidBlockHeight);
  for (const searchHistory of [false, true]) {
    const signatures = attempts
      .filter((attempt) => isForgotten(attempt) === searchHistory)
      .flatMap(({ signature }) => signature ?? [])
      .filter((signature) => !landed.has(signature));
    if (signatures.length === 0) continue;
    const { statuses } = await rpc.signatureStatuses(signatures, { searchHistory });
    for (const [index, signature] of signatures.entries()) {
      found.set(signature, statuses[index] ?? null);
    }
  }
  return found;
}

/** The attempts' session accounts by address. Throws RPC_UNAVAILABLE. */
export async function readSessions(
  rpc: Pick<Rpc, 'accounts'>,
  program: WalletProgram,
  attempts: readonly WatchedAttempt[],
  query: Parameters<Rpc['accounts']>[1],
): Promise<ReadonlyMap<string, SessionAtSlot>> {
  const addresses = [...new Set(attempts.map(({ sessionPda }) => sessionPda))];
  if (addresses.length === 0) return new Map();
  const read = await rpc.accounts(addresses, query);
  return new Map(
    addresses.map((address, index) => {
      const account = read.accounts[index] ?? null;
      const state = account === null ? null : program.decodeSession(account);
      return [address, { slot: read.slot, state }];
    }),
  );
}

/** A claimed spend always has a sequence number: a constraint of the database. */
export function spendSeqOf(attempt: WatchedAttempt): bigint {
  if (attempt.spendSeq === null) throw new TypeError(`spend ${attempt.spendId} has no sequence`);
  return attempt.spendSeq;
}
