/**
 * An in-memory chain with one vault and one session. It advances only on command, keeps every
 * landing, and replies at each commitment with the state at that slot. It executes spends in the
 * program's order: limits, replay window, money. A deposit above the transfer limit exceeds the
 * deployed fraction.
 */
import type { Commitment, Rpc } from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import { replayBit } from '@agent-wallet/policy';
import { readTransfer, type SentTransfer } from './chain-double-bytes.ts';
import { BLOCKHASH_BLOCKS, blockhashOf, lastValidHeightOf } from './chain-double-blockhash.ts';
import { type ChainFacts, createChainLedger, type Landing } from './chain-double-ledger.ts';
import {
  DEPLOYED,
  errorOf,
  FRACTION,
  LIMIT,
  logsOf,
  PAUSED,
  type Refusal,
  USED,
} from './chain-double-refusals.ts';

const FINALITY_SLOTS = 32n;
export const CONFIRMED_TO_FINAL_BLOCKS = FINALITY_SLOTS - 1n;

/**
 * One sendTransaction call: how often these bytes were sent, and for which attempt of the spend.
 */
export type SeenSend = {
  readonly transfer: SentTransfer;
  readonly ofTheseBytes: number;
  readonly attempt: number;
};

export type ChainDouble = {
  readonly rpc: Rpc;
  /** An endpoint that shows the state of the start at the newest slot. */
  readonly blindRpc: Rpc;
  readonly landings: readonly Landing[];
  readonly vault: string;
  readonly vaultUsdcAta: string;
  readonly sessionPda: string;
  /** A fork that removes every landing; transactions that are still valid can land again. */
  forkOut(): void;
  /** Lets slots pass, each with a block. */
  advance(slots: bigint): void;
  /** The current balance of a token account's owner. */
  balanceOf(owner: string): bigint;
  /** Called with the bytes of each send. */
  onWire: (wire: Uint8Array, send: SeenSend) => void;
  /** Called before each send is processed. */
  onSend: (send: SeenSend) => Promise<void>;
  /** Selects sends that are accepted and then lost. */
  isSwallowed: (send: SeenSend) => boolean;
  /** Delays a preflight refusal until it resolves. */
  holdRefusal: () => Promise<void>;
  /** Refuses each transfer of this amount while it is set. */
  barredAmount: bigint | null;
  /** False for an endpoint without preflight: a refusal then lands as a failure. */
  simulates: boolean;
};

const behind = (): AppError => new AppError('RPC_UNAVAILABLE', { reason: 'behind' });
const notCalled = (): never => {
  throw new Error('must not be called');
};

export function createChainDouble(facts: ChainFacts): ChainDouble {
  const { program, maxPerTx } = facts;
  const { programId } = program;
  const ledger = createChainLedger(facts);
  const { vault, vaultUsdcAta, sessionPda, landings } = ledger;
  const { balanceAt, deployedAt, replayAt, accountAt, transactionOf } = ledger;
  const sends = new Map<string, { readonly spendId: string; count: number }>();
  let slot = facts.startSlot;

  const slotAt = (commitment: Commitment): bigint =>
    commitment === 'finalized' ? slot - FINALITY_SLOTS : slot - 1n;

  function refusalOf(transfer: SentTransfer): Refusal | null {
    if (transfer.amount === double.barredAmount) return PAUSED;
    const { verb, amount } = transfer;
    if (verb === 'transfer_usdc' && amount > maxPerTx) return LIMIT;
    if (verb === 'yield_deposit' && amount > maxPerTx) return FRACTION;
    if (verb === 'yield_withdraw' && amount > deployedAt(slot)) return DEPLOYED;
    return replayBit(replayAt(slot), transfer.spendSeq) === 'clear' ? null : USED;
  }

  function recordSend(transfer: SentTransfer): SeenSend {
    const { signature, spendId } = transfer;
    const seen = sends.get(signature) ?? { spendId, count: 0 };
    seen.count += 1;
    sends.set(signature, seen);
    const ofSpend = [...sends].filter(([, one]) => one.spendId === spendId);
    const attempt = 1 + ofSpend.findIndex(([other]) => other === signature);
    return { transfer, ofTheseBytes: seen.count, attempt };
  }

  const sendRaw: Rpc['sendRaw'] = async (wire, { skipPreflight, minContextSlot = 0n }) => {
    const transfer = readTransfer(wire);
    const send = recordSend(transfer);
    double.onWire(wire, send);
    await double.onSend(send);
    const simulates = double.simulates && !skipPreflight;
    if (simulates && slotAt('confirmed') < minContextSlot) throw behind();
    const taken = { ok: true, result: transfer.signature } as const;
    const refuse = (message: string, data: object | null = null) =>
      simulates ? { ok: false as const, code: -32_002, message, data } : taken;
    if (landings.some((landing) => landing.transfer.signature === transfer.signature)) {
      return refuse('This transaction has already been processed');
    }
    if (slot > lastValidHeightOf(transfer.blockhash)) return refuse('Blockhash not found');
    const refusal = refusalOf(transfer);
    if (simulates && refusal !== null) {
      await double.holdRefusal();
      const data = { err: errorOf(refusal), logs: logsOf(programId, refusal) };
      return refuse('simulation failed', data);
    }
    if (!double.isSwallowed(send)) landings.push({ transfer, slot, refusal });
    return taken;
  };

  function statusOf(signature: string) {
    const landing = landings.find(({ transfer }) => transfer.signature === signature);
    if (landing === undefined) return null;
    const err = errorOf(landing.refusal);
    const isAt = (commitment: Commitment): boolean => landing.slot <= slotAt(commitment);
    const reached = isAt('confirmed') ? 'confirmed' : 'processed';
    const confirmationStatus = isAt('finalized') ? 'finalized' : reached;
    return { slot: landing.slot, err, confirmationStatus } as const;
  }

  /** Accounts in the state of the slot that `stateAt` returns for the node's slot. */
  function accountsAsOf(stateAt: (slot: bigint) => bigint): Rpc['accounts'] {
    return async (requested, { commitment, minContextSlot = 0n }) => {
      const at = slotAt(commitment);
      if (at < minContextSlot) throw behind();
      return { slot: at, accounts: requested.map((one) => accountAt(one, stateAt(at))) };
    };
  }

  const rpc: Rpc = {
    genesisHash: notCalled,
    simulate: async (wire, { minContextSlot = 0n } = {}) => {
      const at = slotAt('confirmed');
      if (at < minContextSlot) throw behind();
      const transfer = readTransfer(wire);
      const refusal = double.simulates ? refusalOf(transfer) : null;
      const isExpired = slot > lastValidHeightOf(transfer.blockhash);
      return {
        slot: at,
        err: isExpired ? 'BlockhashNotFound' : errorOf(refusal),
        logs: logsOf(programId, refusal),
        unitsConsumed: 1n,
      };
    },
    recentPriorityFees: async () => [0n],
    slot: async (commitment) => slotAt(commitment),
    firstAvailableSlot: async () => 0n,
    heightAndSlot: async (commitment) => {
      return { blockHeight: slotAt(commitment), slot: slotAt(commitment) };
    },
    latestBlockhash: async () => {
      const at = slotAt('confirmed');
      return {
        blockhash: blockhashOf(at),
        lastValidBlockHeight: at + BLOCKHASH_BLOCKS,
        slot: at,
      };
    },
    accounts: accountsAsOf((at) => at),
    accountsNaming: notCalled,
    tokenAccountsOf: notCalled,
    signatureStatuses: async (signatures) => ({ slot, statuses: signatures.map(statusOf) }),
    transaction: async (signature, commitment) => {
      const landing = landings.find(({ transfer }) => transfer.signature === signature);
      const isKnown = landing !== undefined && landing.slot <= slotAt(commitment);
      return isKnown ? transactionOf(landing) : null;
    },
    signaturesFor: async (address, { before, limit, minContextSlot = 0n, commitment }) => {
      const at = slotAt(commitment);
      if (at < minContextSlot) throw behind();
      const isNamed = address === programId || address === sessionPda;
      const shown = landings.filter((landing) => isNamed && landing.slot <= at).toReversed();
      const from = 1 + shown.findIndex(({ transfer }) => transfer.signature === before);
      return shown.slice(from, from + limit).map(({ transfer, slot: landedSlot, refusal }) => ({
        signature: transfer.signature,
        slot: landedSlot,
        err: errorOf(refusal),
      }));
    },
    sendRaw,
  };

  const blindRpc: Rpc = {
    ...rpc,
    accounts: accountsAsOf(() => facts.startSlot - 1n),
    signatureStatuses: async (signatures) => ({ slot, statuses: signatures.map(() => null) }),
  };

  const double: ChainDouble = {
    rpc,
    blindRpc,
    landings,
    vault,
    vaultUsdcAta,
    sessionPda,
    forkOut: () => {
      landings.length = 0;
    },
    advance: (slots) => {
      slot += slots;
    },
    balanceOf: (ofOwner) => balanceAt(ofOwner, slot),
    onWire: () => {},
    onSend: async () => {},
    isSwallowed: () => false,
    holdRefusal: async () => {},
    barredAmount: null,
    simulates: true,
  };
  return double;
}
