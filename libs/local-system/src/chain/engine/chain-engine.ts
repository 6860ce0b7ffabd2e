/**
 * A Solana chain of one node in this process: slots, blockhashes, accounts at every commitment, and
 * the history of what landed. It has no timer and no network; see slot-timer.ts and ../server.
 */

import { EventEmitter } from 'node:events';
import type { AccountState, Commitment } from './accounts/account-state.ts';
import { createAccountVersions } from './accounts/account-versions.ts';
import { createBlockTimes } from './slots/block-times.ts';
import {
  createBlockhashes,
  genesisHash,
  type RecentBlockhash,
  VALID_BLOCKS,
} from './slots/blockhashes.ts';
import { executionOf, refusedExecution } from './transactions/execution.ts';
import { type ChainControls, createChainControls } from './chain-controls.ts';
import { createHistory, type History, type HistoryLimits } from './history/history.ts';
import { createLanding } from './landing.ts';
import type { Execution, LandedTransaction } from './history/landed-transaction.ts';
import { locate } from './transactions/located-transaction.ts';
import { createRecentFees, type RecentFee } from './slots/recent-fees.ts';
import { createSubmit, refusalAt, type Submission } from './submission.ts';
import type { SavedChain } from './saved-chain.ts';
import { createSvm } from './svm.ts';
import { createTreasury } from './accounts/treasury.ts';
import type { WireTransaction } from './transactions/wire-transaction.ts';

/** A landing is confirmed when the next slot begins. */
const CONFIRMED_SLOTS = 1;
/** A landing is final this many slots later; no fork removes it then. */
export const FINALIZED_SLOTS = 32;
/** High enough that every commitment has a state from the start. */
const FIRST_SLOT = FINALIZED_SLOTS;
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const DEFAULT_LIMITS: HistoryLimits = { maxTransactions: 100_000, maxAgeSeconds: 2 * 86_400 };

export type ChainEngineOptions = {
  /** Makes the blockhashes and the genesis hash the same in every run. */
  readonly seed?: string;
  /** Presents the chain as another one; base58 of 32 bytes. */
  readonly genesisHash?: string;
  /** Unix milliseconds; the machine's clock when absent. */
  readonly now?: () => number;
  readonly history?: Partial<HistoryLimits>;
  /** Continues this chain. Its slots and blockhashes stay valid; no time has passed in it. */
  readonly saved?: SavedChain;
};

export type SimulateOptions = {
  readonly commitment: Commitment;
  readonly verifySignatures: boolean;
  readonly checkBlockhash: boolean;
};

export type Simulation = {
  readonly execution: Execution;
  /** All accounts of the transaction, in the order of their indices. */
  readonly keys: readonly string[];
  /** Reads the accounts after the execution; there are none when it failed. */
  readonly accounts: () => ReadonlyMap<string, AccountState>;
};

export type ChainEvents = {
  /** A slot began. */
  slot: [slot: number];
  landed: [landed: LandedTransaction];
  /** A fork took every slot after this one. */
  forked: [slot: number];
};

export type ChainEngine = {
  readonly genesisHash: string;
  /** For the option `saved` of another engine. */
  save(): SavedChain;
  readonly events: EventEmitter<ChainEvents>;
  readonly controls: ChainControls;
  readonly history: Omit<History, 'add' | 'addPacked' | 'prune' | 'revertTo'>;
  /** The newest slot of a commitment. */
  slot(commitment: Commitment): number;
  /** The block height of that slot. */
  height(commitment: Commitment): number;
  /** Unix seconds at the start of a slot; null when that is not known any more. */
  blockTime(slot: number): number | null;
  /** Landings since the start. */
  transactionCount(): number;
  /** Begins the next slot. */
  advance(): void;
  account(address: string, commitment: Commitment): AccountState | null;
  programAccounts(program: string, commitment: Commitment): ReadonlyMap<string, AccountState>;
  /** Sets an account without a transaction, in the state of every commitment. */
  setAccount(address: string, account: AccountState): void;
  addProgram(address: string, bytes: Uint8Array): void;
  blockhash(commitment: Commitment): RecentBlockhash;
  /** Whether a transaction with this blockhash can land in the block after that state. */
  isBlockhashValid(blockhash: Uint8Array, commitment: Commitment): boolean;
  /** Executes a transaction in the newest slot, after preflight on the state of a commitment. */
  submit(
    transaction: WireTransaction,
    options: { readonly preflight: Commitment | null },
  ): Submission;
  /** Executes a transaction on the state of a commitment, without a trace. */
  simulate(transaction: WireTransaction, options: SimulateOptions): Simulation;
  /** Prices of the slots in which transactions landed, oldest first; the others are free. */
  recentFees(writable: readonly string[]): readonly RecentFee[];
  /** A signed transfer from the chain's treasury, to be submitted. */
  airdrop(address: string, lamports: number): WireTransaction;
  /** In lamports. */
  rentExemption(dataLength: number): bigint;
};

export function createChainEngine(options: ChainEngineOptions = {}): ChainEngine {
  const { seed, saved, now = Date.now } = options;
  const svm = createSvm(saved?.machine);
  const versions = createAccountVersions(svm, saved?.versions);
  const blockhashes = createBlockhashes(seed, saved?.blockhashes);
  const history = createHistory({ ...DEFAULT_LIMITS, ...options.history });
  const events = new EventEmitter<ChainEvents>();
  const recentFees = createRecentFees();
  let landings = saved?.landings ?? 0;
  const land = createLanding({ svm, versions, history, recentFees }, landings);
  const submit = createSubmit({ svm, versions, blockhashes, land });
  const genesis = saved?.genesisHash ?? options.genesisHash ?? genesisHash(seed);
  const treasury = createTreasury(seed, saved?.treasurySecret);

  let newestSlot = saved?.newestSlot ?? FIRST_SLOT;
  let blockTime = saved?.blockTime ?? Math.floor(now() / 1_000);
  let isClockSet = false;
  const blockTimes = createBlockTimes(saved?.blockTimes);
  if (saved === undefined) {
    svm.setAccount(treasury.address, treasury.account);
    blockTimes.add(newestSlot, blockTime);
    for (let slot = 0; slot <= newestSlot; slot += 1) blockhashes.add(slot, slot);
  } else {
    for (const packed of saved.history) history.addPacked(packed);
  }

  const newest = (address: string) => versions.newest(address);
  const slotAt = (commitment: Commitment): number => {
    if (commitment === 'processed') return newestSlot;
    return newestSlot - (commitment === 'confirmed' ? CONFIRMED_SLOTS : FINALIZED_SLOTS);
  };

  const { isDropped, ...controls } = createChainControls({
    versions,
    blockhashes,
    history,
    newestSlot: () => newestSlot,
    finalizedSlot: () => slotAt('finalized'),
    onForked: (slot) => events.emit('forked', slot),
  });

  /** Sets the clock at the first use in a slot: an idle slot sets none. */
  function setClock(): void {
    if (isClockSet) return;
    svm.setClock(newestSlot, blockTime);
    isClockSet = true;
  }

  return {
    genesisHash: genesis,
    save: () => ({
      genesisHash: genesis,
      treasurySecret: treasury.secret,
      newestSlot,
      blockTime,
      landings,
      machine: svm.save(),
      versions: versions.save(),
      blockhashes: blockhashes.save(),
      blockTimes: blockTimes.save(),
      history: [...history.packed()],
    }),
    events,
    controls,
    history,
    slot: slotAt,
    height: slotAt,
    blockTime: (slot) => blockTimes.at(slot),
    transactionCount: () => landings,
    advance() {
      newestSlot += 1;
      blockTime = Math.max(blockTime, Math.floor(now() / 1_000));
      isClockSet = false;
      blockTimes.add(newestSlot, blockTime);
      blockhashes.add(newestSlot, newestSlot);
      versions.prune(newestSlot - FINALIZED_SLOTS);
      history.prune(blockTime);
      recentFees.prune(newestSlot);
      events.emit('slot', newestSlot);
    },
    account(address, commitment) {
      if (address === CLOCK) setClock();
      return versions.at(address, slotAt(commitment));
    },
    programAccounts: (program, commitment) => versions.ofProgram(program, slotAt(commitment)),
    setAccount: (address, account) => versions.set(address, account),
    addProgram(address, bytes) {
      svm.addProgram(address, bytes);
      versions.reload();
    },
    blockhash: (commitment) => blockhashes.ofSlot(slotAt(commitment)),
    isBlockhashValid(bytes, commitment) {
      const recent = blockhashes.find(bytes);
      const slot = slotAt(commitment);
      return recent !== undefined && recent.slot <= slot && slot - recent.slot <= VALID_BLOCKS;
    },
    submit(transaction, { preflight }) {
      if (isDropped(transaction)) {
        return { kind: 'dropped', execution: refusedExecution('BlockhashNotFound') };
      }
      setClock();
      const preflightSlot = preflight === null ? null : slotAt(preflight);
      const submission = submit(transaction, { slot: newestSlot, blockTime, preflightSlot });
      if (submission.kind === 'landed') {
        landings = submission.landed.sequence;
        events.emit('landed', submission.landed);
      }
      return submission;
    },
    simulate(transaction, { commitment, verifySignatures, checkBlockhash }) {
      const slot = slotAt(commitment);
      const located = locate(transaction, newest);
      const { keys } = located;
      const refusal = checkBlockhash ? refusalAt(blockhashes, transaction, slot) : null;
      if (refusal !== null) {
        return { execution: refusedExecution(refusal), keys, accounts: () => new Map() };
      }
      setClock();
      const { meta, accounts } = versions.during(slot, keys, () =>
        svm.simulate(transaction.wire, { verifySignatures }),
      );
      return { execution: executionOf(meta, located, newest), keys, accounts };
    },
    recentFees: (writable) => recentFees.read(writable),
    airdrop: (address, lamports) =>
      treasury.transfer(address, lamports, blockhashes.ofSlot(newestSlot).bytes),
    rentExemption: (dataLength) => svm.rentExemption(dataLength),
  };
}
