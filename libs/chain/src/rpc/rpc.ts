/**
 * The client of a Solana node. It never repeats a send, because that is a second send, and repeats a
 * read only when the node throttled it. Callers decide about every other retry. Each transport fault
 * and each node error becomes RPC_UNAVAILABLE, because an RPC error is never a verdict.
 */

import { Connection, PublicKey } from '@solana/web3.js';

import { readAccounts, readStatuses, type AccountsOptions } from './read/batched-reads.ts';
import type {
  AccountsAtSlot,
  AccountSnapshot,
  ChainTransaction,
  Commitment,
  HeightAndSlot,
  LatestBlockhash,
  SignatureRecord,
  SimulationResult,
  StatusesAtSlot,
} from './read/chain-reads.ts';
import { type CallNode, callJsonRpc, type Fetch } from './json-rpc.ts';
import type { CallGate } from '../endpoints/call-gate.ts';
import type { CircuitBreaker } from '../endpoints/circuit-breaker.ts';
import { createNodeFetch } from './node-fetch.ts';
import {
  readAccountsNaming,
  readTokenAccountsOf,
  type NamingQuery,
  type OwnedOptions,
} from './read/owned-accounts.ts';
import { createRunCall, minSlotOption, type OnCall, type RunCall } from './rpc-call.ts';
import { recordsOf } from './read/signature-replies.ts';
import { simulationOf, type RpcReply } from './send/simulation.ts';
import { readTransaction } from './read/transaction-reader.ts';

/** Newest transaction version that the client library can read. */
const MAX_TRANSACTION_VERSION = 1;

export type RpcOptions = {
  readonly url: string;
  /** Timeout of each single call, including its waits. */
  readonly timeoutMs: number;
  readonly onCall?: OnCall;
  /** Rejects calls while the endpoint is down. */
  readonly breaker?: CircuitBreaker;
  /** Delays calls while the endpoint throttles. */
  readonly gate?: CallGate;
  /** The transport; tests inject faults here. */
  readonly fetch?: Fetch;
};

type SignaturesQuery = {
  readonly until?: string;
  readonly before?: string;
  readonly limit: number;
  readonly minContextSlot?: bigint;
  readonly commitment: Commitment;
};

export type Rpc = {
  genesisHash(): Promise<string>;
  /**
   * At `confirmed`: an older blockhash expires sooner, a newer one may belong to a dropped fork.
   */
  latestBlockhash(): Promise<LatestBlockhash>;
  slot(commitment: Commitment): Promise<bigint>;
  /** The oldest slot whose block the node still holds. */
  firstAvailableSlot(): Promise<bigint>;
  heightAndSlot(commitment: Commitment): Promise<HeightAndSlot>;
  accounts(addresses: readonly string[], options: AccountsOptions): Promise<AccountsAtSlot>;
  /** The accounts of a program whose data has an address at an offset. */
  accountsNaming(programId: string, query: NamingQuery): Promise<readonly AccountSnapshot[]>;
  /** The token accounts of an owner under one of the two token programs. */
  tokenAccountsOf(
    owner: string,
    tokenProgram: string,
    options: OwnedOptions,
  ): Promise<readonly AccountSnapshot[]>;
  signatureStatuses(
    signatures: readonly string[],
    options: { readonly searchHistory: boolean },
  ): Promise<StatusesAtSlot>;
  /** Null when the node does not have it at that commitment. */
  transaction(signature: string, commitment: Commitment): Promise<ChainTransaction | null>;
  /** Newest first. */
  signaturesFor(address: string, query: SignaturesQuery): Promise<readonly SignatureRecord[]>;
  /** Recent fees paid to lock these accounts, in micro-lamports per compute unit. */
  recentPriorityFees(writable: readonly string[]): Promise<readonly bigint[]>;
  /** The node's raw reply to one sendTransaction; throws only when there was no reply. */
  sendRaw(
    wire: Uint8Array,
    options: { readonly skipPreflight: boolean; readonly minContextSlot?: bigint },
  ): Promise<RpcReply>;
  /** Signatures are not verified. */
  simulate(
    wire: Uint8Array,
    options?: { readonly minContextSlot?: bigint },
  ): Promise<SimulationResult>;
};

async function readHeightAndSlot(
  call: RunCall,
  connection: Connection,
  commitment: Commitment,
): Promise<HeightAndSlot> {
  // getEpochInfo returns height and slot of one bank. A node that ignores the commitment there
  // would be ahead, so the lower of two heights counts; the slot is at or past both.
  const [epoch, height] = await Promise.all([
    call('getEpochInfo', () => connection.getEpochInfo(commitment)),
    call('getBlockHeight', () => connection.getBlockHeight(commitment)),
  ]);
  if (epoch.blockHeight === undefined) throw new TypeError('no block height');
  const blockHeight = BigInt(Math.min(epoch.blockHeight, height));
  return { blockHeight, slot: BigInt(epoch.absoluteSlot) };
}

async function readSignatures(
  callNode: CallNode,
  address: string,
  { until, before, limit, minContextSlot, commitment }: SignaturesQuery,
): Promise<readonly SignatureRecord[]> {
  const query = { until, before, limit, commitment, ...minSlotOption(minContextSlot) };
  return recordsOf(await callNode('getSignaturesForAddress', [address, query]));
}

const base64Of = (wire: Uint8Array): string => Buffer.from(wire).toString('base64');

/** Connects lazily and keeps no socket open beyond the keep-alive of fetch. */
export function createRpc(options: RpcOptions): Rpc {
  const { url, timeoutMs, onCall, breaker, gate, fetch: baseFetch = globalThis.fetch } = options;
  const fetch = createNodeFetch({ fetch: baseFetch, timeoutMs, gate, onCall });
  const call = createRunCall({ onCall, breaker, gate });
  const connection = new Connection(url, {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
    fetch,
  });
  const callNode: CallNode = (method, params) => callJsonRpc(fetch, url, method, params);
  const version = { maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION };
  return {
    genesisHash: () => call('getGenesisHash', () => connection.getGenesisHash()),
    latestBlockhash: () =>
      call('getLatestBlockhash', async () => {
        const { context, value } = await connection.getLatestBlockhashAndContext('confirmed');
        const lastValidBlockHeight = BigInt(value.lastValidBlockHeight);
        return { blockhash: value.blockhash, lastValidBlockHeight, slot: BigInt(context.slot) };
      }),
    slot: (commitment) => call('getSlot', async () => BigInt(await connection.getSlot(commitment))),
    firstAvailableSlot: () =>
      call('getFirstAvailableBlock', async () => BigInt(await connection.getFirstAvailableBlock())),
    heightAndSlot: (commitment) => readHeightAndSlot(call, connection, commitment),
    accounts: (addresses, query) => readAccounts(call, connection, addresses, query),
    accountsNaming: (program, query) => readAccountsNaming(call, connection, program, query),
    tokenAccountsOf: (owner, tokenProgram, query) =>
      readTokenAccountsOf(call, connection, owner, tokenProgram, query),
    signatureStatuses: (signatures, { searchHistory }) =>
      readStatuses(call, callNode, signatures, searchHistory),
    transaction: (signature, commitment) =>
      call('getTransaction', async () => {
        const record = await connection.getTransaction(signature, { commitment, ...version });
        return record === null ? null : readTransaction(record);
      }),
    signaturesFor: (address, query) =>
      call('getSignaturesForAddress', () => readSignatures(callNode, address, query)),
    recentPriorityFees: (writable) =>
      call('getRecentPrioritizationFees', async () => {
        const lockedWritableAccounts = writable.map((address) => new PublicKey(address));
        const fees = await connection.getRecentPrioritizationFees({ lockedWritableAccounts });
        return fees.map(({ prioritizationFee }) => BigInt(prioritizationFee));
      }),
    sendRaw: (wire, { skipPreflight, minContextSlot }) => {
      const sending = { skipPreflight, preflightCommitment: 'confirmed', maxRetries: 0 };
      const config = { encoding: 'base64', ...sending, ...minSlotOption(minContextSlot) };
      const params = [base64Of(wire), config];
      return call('sendTransaction', () => callNode('sendTransaction', params));
    },
    simulate: (wire, { minContextSlot } = {}) => {
      const simulating = { encoding: 'base64', commitment: 'confirmed', sigVerify: false };
      const params = [base64Of(wire), { ...simulating, ...minSlotOption(minContextSlot) }];
      return call('simulateTransaction', async () =>
        simulationOf(await callNode('simulateTransaction', params)),
      );
    },
  };
}
