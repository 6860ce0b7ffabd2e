/**
 * The one door to a Solana node. Nothing is retried here: a repeated call of send is a second
 * send, and whoever asks knows best when to ask again. Every fault of transport and every error of
 * the node becomes RPC_UNAVAILABLE, because an RPC error is never a verdict.
 */

import { AppError } from '@agent-wallet/errors';
import { Connection, PublicKey } from '@solana/web3.js';

import type {
  AccountSnapshot,
  AccountsAtSlot,
  ChainTransaction,
  Commitment,
  HeightAndSlot,
  LatestBlockhash,
  SignatureRecord,
  SignatureStatus,
  SimulationResult,
  StatusesAtSlot,
} from './chain-reads.ts';
import { callJsonRpc } from './json-rpc.ts';
import type { Fetch } from './json-rpc.ts';
import { simulationErrorOf } from './send-outcome.ts';
import type { RpcReply } from './send-outcome.ts';
import { readTransaction } from './transaction-reader.ts';

const ACCOUNTS_PER_CALL = 100;
const STATUSES_PER_CALL = 256;
/** Newest transaction format that the client library reads. */
const MAX_TRANSACTION_VERSION = 1;

export type RpcOptions = {
  readonly url: string;
  /** Bound of each single call. */
  readonly timeoutMs: number;
  /** Told after each call, for metrics. */
  readonly onCall?: (method: string, outcome: 'ok' | 'error', seconds: number) => void;
  /** The transport; tests put faults in here. */
  readonly fetch?: Fetch;
};

export type SignaturesQuery = {
  readonly until?: string;
  readonly before?: string;
  readonly limit: number;
  readonly minContextSlot?: bigint;
  readonly commitment: Commitment;
};

export type Rpc = {
  genesisHash(): Promise<string>;
  /** At `confirmed`: an older one loses validity, a newer one may be of a dropped fork. */
  latestBlockhash(): Promise<LatestBlockhash>;
  heightAndSlot(commitment: Commitment): Promise<HeightAndSlot>;
  accounts(
    addresses: readonly string[],
    options: { readonly commitment: Commitment; readonly minContextSlot?: bigint },
  ): Promise<AccountsAtSlot>;
  signatureStatuses(
    signatures: readonly string[],
    options: { readonly searchHistory: boolean },
  ): Promise<StatusesAtSlot>;
  /** Null when the node does not know it at that commitment. */
  transaction(signature: string, commitment: Commitment): Promise<ChainTransaction | null>;
  /** Newest first. */
  signaturesFor(address: string, query: SignaturesQuery): Promise<readonly SignatureRecord[]>;
  /** The node's bare answer to one sendTransaction; throws only when there was none. */
  sendRaw(
    wire: Uint8Array,
    options: { readonly skipPreflight: boolean; readonly minContextSlot?: bigint },
  ): Promise<RpcReply>;
  simulate(wire: Uint8Array): Promise<SimulationResult>;
};

function batchesOf<T>(items: readonly T[], size: number): (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** The oldest of several slots: an answer made of parts is only as new as its oldest part. */
const oldestOf = (slots: readonly bigint[]): bigint =>
  slots.reduce((oldest, slot) => (slot < oldest ? slot : oldest), slots[0] ?? 0n);

const minSlotOption = (slot: bigint | undefined): { minContextSlot?: number } =>
  slot === undefined ? {} : { minContextSlot: Number(slot) };

function simulationOf(reply: RpcReply): SimulationResult {
  if (!reply.ok) throw new Error(`${reply.code}: ${reply.message}`);
  const { result } = reply;
  if (typeof result !== 'object' || result === null) throw new TypeError('no simulation result');
  const value = 'value' in result ? result.value : null;
  const context = 'context' in result ? result.context : null;
  const outcome = simulationErrorOf(value);
  if (outcome === null || typeof value !== 'object' || value === null) {
    throw new TypeError('no simulation value');
  }
  const slot =
    typeof context === 'object' && context !== null && 'slot' in context ? context.slot : null;
  const units = 'unitsConsumed' in value ? value.unitsConsumed : null;
  return {
    slot: typeof slot === 'number' ? BigInt(slot) : 0n,
    ...outcome,
    unitsConsumed: typeof units === 'number' ? BigInt(units) : null,
  };
}

/** Connects lazily; holds no socket open when idle beyond what fetch keeps alive. */
export function createRpc(options: RpcOptions): Rpc {
  const { url, timeoutMs, onCall, fetch: baseFetch = globalThis.fetch } = options;
  const timedFetch: Fetch = (input, init) =>
    baseFetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const connection = new Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch: timedFetch,
  });

  async function call<T>(method: string, run: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const told = (outcome: 'ok' | 'error'): void =>
      onCall?.(method, outcome, (performance.now() - startedAt) / 1_000);
    try {
      const answer = await run();
      told('ok');
      return answer;
    } catch (error) {
      told('error');
      throw new AppError('RPC_UNAVAILABLE', { method }, { cause: error });
    }
  }

  const accountsOnce = (
    addresses: readonly string[],
    commitment: Commitment,
    minContextSlot: bigint | undefined,
  ): Promise<AccountsAtSlot> =>
    call('getMultipleAccounts', async () => {
      const { context, value } = await connection.getMultipleAccountsInfoAndContext(
        addresses.map((address) => new PublicKey(address)),
        { commitment, ...minSlotOption(minContextSlot) },
      );
      const slot = BigInt(context.slot);
      if (value.length !== addresses.length) throw new RangeError('accounts are missing');
      if (minContextSlot !== undefined && slot < minContextSlot) {
        throw new RangeError(`the node answered at slot ${slot}, before ${minContextSlot}`);
      }
      const accounts = addresses.map((address, i): AccountSnapshot | null => {
        const info = value[i] ?? null;
        if (info === null) return null;
        const { data, lamports } = info;
        return { address, owner: info.owner.toBase58(), lamports: BigInt(lamports), data };
      });
      return { slot, accounts };
    });

  const statusesOnce = (
    signatures: readonly string[],
    searchTransactionHistory: boolean,
  ): Promise<StatusesAtSlot> =>
    call('getSignatureStatuses', async () => {
      const { context, value } = await connection.getSignatureStatuses([...signatures], {
        searchTransactionHistory,
      });
      if (value.length !== signatures.length) throw new RangeError('statuses are missing');
      const statuses = value.map((status): SignatureStatus | null =>
        status === null
          ? null
          : {
              slot: BigInt(status.slot),
              err: status.err,
              confirmationStatus: status.confirmationStatus ?? 'processed',
            },
      );
      return { slot: BigInt(context.slot), statuses };
    });

  return {
    genesisHash: () => call('getGenesisHash', () => connection.getGenesisHash()),

    latestBlockhash: () =>
      call('getLatestBlockhash', async () => {
        const { context, value } = await connection.getLatestBlockhashAndContext('confirmed');
        const lastValidBlockHeight = BigInt(value.lastValidBlockHeight);
        return { blockhash: value.blockhash, lastValidBlockHeight, slot: BigInt(context.slot) };
      }),

    heightAndSlot: (commitment) =>
      call('getEpochInfo', async () => {
        // getEpochInfo gives height and slot of one bank. A node that ignores the commitment there
        // would be ahead, so the lower of two heights counts; the slot is at or past both.
        const [epoch, height] = await Promise.all([
          connection.getEpochInfo(commitment),
          connection.getBlockHeight(commitment),
        ]);
        if (epoch.blockHeight === undefined) throw new TypeError('no block height');
        const blockHeight = BigInt(Math.min(epoch.blockHeight, height));
        return { blockHeight, slot: BigInt(epoch.absoluteSlot) };
      }),

    async accounts(addresses, { commitment, minContextSlot }) {
      const parts: AccountsAtSlot[] = [];
      for (const batch of batchesOf(addresses, ACCOUNTS_PER_CALL)) {
        parts.push(await accountsOnce(batch, commitment, minContextSlot));
      }
      return {
        slot: oldestOf(parts.map((part) => part.slot)),
        accounts: parts.flatMap((part) => part.accounts),
      };
    },

    async signatureStatuses(signatures, { searchHistory }) {
      const parts: StatusesAtSlot[] = [];
      for (const batch of batchesOf(signatures, STATUSES_PER_CALL)) {
        parts.push(await statusesOnce(batch, searchHistory));
      }
      return {
        slot: oldestOf(parts.map((part) => part.slot)),
        statuses: parts.flatMap((part) => part.statuses),
      };
    },

    transaction: (signature, commitment) =>
      call('getTransaction', async () => {
        const record = await connection.getTransaction(signature, {
          commitment,
          maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
        });
        return record === null ? null : readTransaction(record);
      }),

    signaturesFor: (address, query) =>
      call('getSignaturesForAddress', async () => {
        const { until, before, limit, minContextSlot, commitment } = query;
        const records = await connection.getSignaturesForAddress(
          new PublicKey(address),
          {
            limit,
            ...(until === undefined ? {} : { until }),
            ...(before === undefined ? {} : { before }),
            ...minSlotOption(minContextSlot),
          },
          commitment,
        );
        return records.map(({ signature, slot, err }) => ({ signature, slot: BigInt(slot), err }));
      }),

    sendRaw: (wire, { skipPreflight, minContextSlot }) =>
      call('sendTransaction', () =>
        callJsonRpc(timedFetch, url, 'sendTransaction', [
          Buffer.from(wire).toString('base64'),
          {
            encoding: 'base64',
            skipPreflight,
            preflightCommitment: 'confirmed',
            maxRetries: 0,
            ...minSlotOption(minContextSlot),
          },
        ]),
      ),

    simulate: (wire) =>
      call('simulateTransaction', async () => {
        const config = { encoding: 'base64', commitment: 'confirmed', sigVerify: false };
        const base64 = Buffer.from(wire).toString('base64');
        const params = [base64, { ...config, replaceRecentBlockhash: false }];
        return simulationOf(await callJsonRpc(timedFetch, url, 'simulateTransaction', params));
      }),
  };
}
