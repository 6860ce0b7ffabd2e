/**
 * An in-memory chain with one vault and one session. It advances only on command, keeps every
 * landing, and replies at each commitment with the state at that slot. It executes spends in the
 * program's order: limits, replay window, money. A deposit above the transfer limit exceeds the
 * deployed fraction.
 */
import type {
  ChainTransaction,
  Commitment,
  Reserve,
  Rpc,
  WalletProgram,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import { replayBit } from '@agent-wallet/policy';
import bs58 from 'bs58';
import {
  readTransfer,
  reserveBytes,
  type SentTransfer,
  sessionBytes,
  SPEND_INSTRUCTION,
  TOKEN_PROGRAM,
  spentBytes,
  tokenAccountBytes,
  vaultBytes,
} from './chain-double-bytes.ts';

const FINALITY_SLOTS = 32n;
/** Number of blocks for which a blockhash is valid. */
export const BLOCKHASH_BLOCKS = 150n;
export const CONFIRMED_TO_FINAL_BLOCKS = FINALITY_SLOTS - 1n;

type Refusal = { readonly name: string; readonly number: number };

export type Landing = {
  readonly transfer: SentTransfer;
  readonly slot: bigint;
  /** Null: it succeeded. */
  readonly refusal: Refusal | null;
};

/**
 * One sendTransaction call: how often these bytes were sent, and for which attempt of the spend.
 */
export type SeenSend = {
  readonly transfer: SentTransfer;
  readonly ofTheseBytes: number;
  readonly attempt: number;
};

export type ChainFacts = {
  readonly program: WalletProgram;
  readonly owner: string;
  readonly sessionPubkey: string;
  readonly recipients: readonly string[];
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  /** The vault's balance at the start. */
  readonly funds: bigint;
  /** The amount deployed to the yield reserve at the start. */
  readonly deployed: bigint;
  readonly reserve: Reserve;
  readonly startSlot: bigint;
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

const FRACTION: Refusal = { name: 'DeployedFractionExceeded', number: 6200 };
const DEPLOYED: Refusal = { name: 'WithdrawExceedsDeployed', number: 6201 };
/** The deposits of others in the reserve. */
const OF_OTHERS = 1_000_000_000n;

const LIMIT: Refusal = { name: 'AmountExceedsMaxPerTx', number: 6001 };
const PAUSED: Refusal = { name: 'VaultPaused', number: 6006 };
const USED: Refusal = { name: 'SpendAlreadyExecuted', number: 6051 };

const behind = (): AppError => new AppError('RPC_UNAVAILABLE', { reason: 'behind' });
const notCalled = (): never => {
  throw new Error('must not be called');
};

export function createChainDouble(facts: ChainFacts): ChainDouble {
  const { program, owner, sessionPubkey, recipients, reserve } = facts;
  const { addresses, programId, usdcMint } = program;
  const vault = addresses.vaultPda(owner);
  const vaultUsdcAta = addresses.usdcAta(vault);
  const sessionPda = addresses.sessionPda(vault, sessionPubkey);
  const yieldPda = addresses.yieldPda(vault);
  const collateralAta = addresses.ata(yieldPda, reserve.collateralMint);
  const ownerOfAta = new Map([vault, ...recipients].map((one) => [addresses.usdcAta(one), one]));
  const landings: Landing[] = [];
  const sends = new Map<string, { readonly spendId: string; count: number }>();
  let slot = facts.startSlot;

  const slotAt = (commitment: Commitment): bigint =>
    commitment === 'finalized' ? slot - FINALITY_SLOTS : slot - 1n;
  const succeededBy = (atSlot: bigint): readonly Landing[] =>
    landings.filter((landing) => landing.refusal === null && landing.slot <= atSlot);

  function balanceAt(ofOwner: string, atSlot: bigint): bigint {
    const landed = succeededBy(atSlot).map(({ transfer }) => transfer);
    if (ofOwner === vault) {
      return landed.reduce(
        (rest, { verb, amount }) => (verb === 'yield_withdraw' ? rest + amount : rest - amount),
        facts.funds,
      );
    }
    const received = landed.filter(({ recipient }) => recipient === ofOwner);
    return received.reduce((sum, { amount }) => sum + amount, 0n);
  }

  function deployedAt(atSlot: bigint): bigint {
    return succeededBy(atSlot).reduce((deployed, { transfer: { verb, amount } }) => {
      if (verb === 'yield_deposit') return deployed + amount;
      return verb === 'yield_withdraw' ? deployed - amount : deployed;
    }, facts.deployed);
  }

  function replayAt(atSlot: bigint): { highestSeq: bigint; bitmap: bigint[] } {
    const seqs = succeededBy(atSlot).map(({ transfer }) => transfer.spendSeq);
    const bitmap = [0n, 0n, 0n, 0n];
    for (const seq of seqs) {
      const word = Number((seq % 256n) / 64n);
      bitmap[word] = (bitmap[word] ?? 0n) | (1n << (seq % 64n));
    }
    return { highestSeq: seqs.reduce((most, seq) => (seq > most ? seq : most), 0n), bitmap };
  }

  function accountAt(address: string, atSlot: bigint) {
    const deployed = deployedAt(atSlot);
    const { collateralMint } = reserve;
    const contents = new Map<string, () => readonly [owner: string, data: Buffer]>([
      [vault, () => [programId, vaultBytes(owner, vaultUsdcAta, deployed)]],
      [reserve.reserve, () => [reserve.programId, reserveBytes(reserve, OF_OTHERS + deployed)]],
      [collateralAta, () => [TOKEN_PROGRAM, tokenAccountBytes(collateralMint, yieldPda, deployed)]],
      [sessionPda, () => [programId, sessionBytes({ ...facts, vault, ...replayAt(atSlot) })]],
      ...[...ownerOfAta].map(([ata, one]) => {
        const data = (): Buffer => tokenAccountBytes(usdcMint, one, balanceAt(one, atSlot));
        return [ata, () => [TOKEN_PROGRAM, data()] as const] as const;
      }),
    ]);
    const found = contents.get(address);
    if (found === undefined) return null;
    const [accountOwner, data] = found();
    return { address, lamports: 1_000_000n, owner: accountOwner, data };
  }

  function refusalOf(transfer: SentTransfer): Refusal | null {
    if (transfer.amount === double.barredAmount) return PAUSED;
    const { verb, amount } = transfer;
    if (verb === 'transfer_usdc' && amount > facts.maxPerTx) return LIMIT;
    if (verb === 'yield_deposit' && amount > facts.maxPerTx) return FRACTION;
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

  function transactionOf(landing: Landing): ChainTransaction {
    const { transfer, refusal } = landing;
    const { slot: at } = landing;
    const after = { balance: balanceAt(vault, at), deployed: deployedAt(at) };
    const told = {
      programId,
      accounts: [addresses.eventAuthority],
      data: spentBytes(transfer, after),
    };
    return {
      slot: landing.slot,
      blockTime: null,
      err: errorOf(refusal),
      logs: logsOf(programId, refusal),
      signatures: transfer.signatures,
      accountKeys: [],
      tokenChanges: null,
      instructionPrograms: transfer.programs,
      innerInstructions:
        refusal === null ? [{ index: SPEND_INSTRUCTION, instructions: [told] }] : [],
    };
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

/** A blockhash that encodes its slot. */
function blockhashOf(slot: bigint): string {
  const bytes = Buffer.alloc(32, 7);
  bytes.writeBigUInt64LE(slot);
  return bs58.encode(bytes);
}

function lastValidHeightOf(blockhash: string): bigint {
  return Buffer.from(bs58.decode(blockhash)).readBigUInt64LE() + BLOCKHASH_BLOCKS;
}

const errorOf = (refusal: Refusal | null): unknown =>
  refusal && { InstructionError: [SPEND_INSTRUCTION, { Custom: refusal.number }] };

function logsOf(programId: string, refusal: Refusal | null): readonly string[] {
  if (refusal === null) return [];
  const { name, number } = refusal;
  const told = `Error Code: ${name}. Error Number: ${number}. Error Message: no.`;
  return [
    `Program ${programId} invoke [1]`,
    `Program log: AnchorError occurred. ${told}`,
    `Program ${programId} failed: custom program error: 0x${number.toString(16)}`,
  ];
}
