import {
  type ChainTransaction,
  createWalletProgram,
  type ProgramEvent,
  type Rpc,
  type RpcPool,
  type SessionState,
  type SignatureStatus,
  type WalletProgram,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';

const PROGRAM = 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm';
const MINT = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

/** A chain that returns what the test has scripted; everything else is unknown to it. */
export type ScriptedChain = {
  readonly statuses: Map<string, SignatureStatus>;
  readonly transactions: Map<string, ChainTransaction>;
  /** Events by signature; they form the history of each session. */
  readonly events: Map<string, readonly ProgramEvent[]>;
  finalized: { blockHeight: bigint; slot: bigint };
  /** The state of each session account; null when it is gone. */
  session: SessionState | null;
  isDown: boolean;
  readonly pool: Pick<RpcPool, 'size' | 'read' | 'readable' | 'rpc'>;
  readonly program: WalletProgram;
};

/** A transaction with irrelevant bytes and logs. */
export function chainTransaction(change: Partial<ChainTransaction> = {}): ChainTransaction {
  return {
    slot: 2_000n,
    blockTime: null,
    err: null,
    logs: [],
    signatures: [],
    accountKeys: [],
    instructionPrograms: [PROGRAM],
    innerInstructions: [],
    tokenChanges: [],
    ...change,
  };
}

/** A session whose program has accepted exactly these sequence numbers, all below 256. */
export function sessionThatAccepted(...seqs: readonly bigint[]): SessionState {
  const words = [0n, 1n, 2n, 3n].map((word) =>
    seqs.filter((seq) => seq / 64n === word).reduce((bits, seq) => bits | (1n << (seq % 64n)), 0n),
  );
  return {
    vault: 'vault',
    sessionPubkey: 'pubkey',
    index: 0n,
    maxPerTx: 1n,
    dailyCap: 1n,
    expiry: 1n,
    allowedInstructions: 1,
    recipients: [],
    dailySpent: 0n,
    dailyWindowStart: 0n,
    window: { buckets: [], lastSeen: 0n },
    replay: { highestSeq: seqs.toSorted((a, b) => Number(b - a))[0] ?? 0n, bitmap: words },
  };
}

export function createScriptedChain(): ScriptedChain {
  const transactionEvents = new Map<ChainTransaction, readonly ProgramEvent[]>();
  const answer = <T>(value: () => T): Promise<T> =>
    chain.isDown
      ? Promise.reject(new AppError('RPC_UNAVAILABLE', { method: 'any' }))
      : Promise.resolve(value());
  const calls: Pick<
    Rpc,
    | 'signatureStatuses'
    | 'heightAndSlot'
    | 'accounts'
    | 'transaction'
    | 'signaturesFor'
    | 'slot'
    | 'firstAvailableSlot'
  > = {
    signatureStatuses: (signatures) =>
      answer(() => ({
        slot: chain.finalized.slot,
        statuses: signatures.map((signature) => chain.statuses.get(signature) ?? null),
      })),
    heightAndSlot: () => answer(() => chain.finalized),
    slot: () => answer(() => chain.finalized.slot),
    firstAvailableSlot: () => answer(() => 0n),
    accounts: (addresses) =>
      answer(() => ({
        slot: chain.finalized.slot,
        accounts: addresses.map((address) =>
          chain.session === null
            ? null
            : { address, owner: PROGRAM, lamports: 1n, data: new Uint8Array() },
        ),
      })),
    transaction: (signature) =>
      answer(() => {
        const found = chain.transactions.get(signature) ?? null;
        if (found !== null) transactionEvents.set(found, chain.events.get(signature) ?? []);
        return found;
      }),
    signaturesFor: () =>
      answer(() =>
        [...chain.transactions]
          .filter(([signature]) => chain.events.has(signature))
          .map(([signature, { slot, err }]) => ({ signature, slot, err })),
      ),
  };
  // Only the calls of the confirm-worker are implemented.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const rpc = calls as Rpc;
  const chain: ScriptedChain = {
    statuses: new Map(),
    transactions: new Map(),
    events: new Map(),
    finalized: { blockHeight: 1_000n, slot: 2_100n },
    session: sessionThatAccepted(),
    isDown: false,
    pool: { size: 1, rpc, read: (run) => run(rpc, 0), readable: () => [{ rpc, index: 0 }] },
    program: {
      ...createWalletProgram({ programId: PROGRAM, usdcMint: MINT }),
      decodeSession: () => chain.session,
      eventsOf: (transaction) => transactionEvents.get(transaction) ?? [],
    },
  };
  return chain;
}
