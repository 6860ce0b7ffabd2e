/** What one endpoint says of many attempts, in as few calls as possible. */
import type { Rpc, SessionAtSlot, SignatureStatus, WalletProgram } from '@agent-wallet/chain';
import type { WatchedAttempt } from '@agent-wallet/spend';

/** Signatures older than this may have left a node's short-term memory. */
const SEARCH_HISTORY_AFTER_MS = 30_000;

/** Statuses by signature, of the attempts whose signature is known. Throws RPC_UNAVAILABLE. */
export async function readStatuses(
  rpc: Pick<Rpc, 'signatureStatuses'>,
  attempts: readonly WatchedAttempt[],
): Promise<ReadonlyMap<string, SignatureStatus | null>> {
  const found = new Map<string, SignatureStatus | null>();
  for (const searchHistory of [false, true]) {
    const signatures = attempts
      .filter(({ storedMsAgo }) => storedMsAgo > SEARCH_HISTORY_AFTER_MS === searchHistory)
      .flatMap(({ signature }) => signature ?? []);
    if (signatures.length === 0) continue;
    const { statuses } = await rpc.signatureStatuses(signatures, { searchHistory });
    for (const [index, signature] of signatures.entries()) {
      found.set(signature, statuses[index] ?? null);
    }
  }
  return found;
}

/** The session accounts of attempts by their address. Throws RPC_UNAVAILABLE. */
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
