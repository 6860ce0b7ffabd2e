import {
  type BlockhashSource,
  buildSpendMessage,
  type PriorityFees,
  type Rpc,
  signSpend,
  type SpendIntent,
  type SpendAction,
  unitLimitOf,
  type WalletProgram,
  writableAccountsOf,
} from '@agent-wallet/chain';
import type { Keystore } from '@agent-wallet/keystore';
import type { Lane, SignedAttempt, Spend } from '@agent-wallet/spend';
import type { Keypair } from '@solana/web3.js';
import { actionOfSpend } from './action-of-spend.ts';

/** A signed attempt, and the newest slot that its preflight must have seen. */
export type PreparedSpend = {
  readonly signed: SignedAttempt;
  readonly minContextSlot: bigint;
};

export type PrepareSpend = (lane: Lane, spend: Spend) => Promise<PreparedSpend>;

type PrepareDeps = {
  readonly rpc: Pick<Rpc, 'accounts'>;
  readonly program: WalletProgram;
  readonly blockhashes: BlockhashSource;
  readonly keystore: Pick<Keystore, 'load'>;
  readonly feePayerOf: (sessionId: string, recipient: string | null) => Keypair;
  readonly priorityFees: PriorityFees;
  /** Instead of the limit that follows from the measured cost. */
  readonly computeUnitLimit: number | undefined;
};

const LAMPORTS_PER_SIGNATURE = 5_000n;

/**
 * Builds and signs the next attempt of a spend, in memory only. A first attempt takes the session's
 * next sequence number, a later one keeps its own.
 *
 * Throws SIGNER_MISMATCH when the bytes do not do what the row says, and RPC_UNAVAILABLE,
 * KEYSTORE_UNAVAILABLE or FEE_PAYERS_EMPTY when something is away.
 */
export function createPrepareSpend(deps: PrepareDeps): PrepareSpend {
  return async (lane, spend) => {
    const sessionIndex = await sessionIndexOf(deps, lane);
    const { blockhash, lastValidBlockHeight, slot } = await deps.blockhashes.current();
    const sessionKey = await deps.keystore.load(lane.sessionPubkey);
    const feePayer = deps.feePayerOf(lane.sessionId, spend.recipient);
    const spendSeq = spend.spendSeq ?? lane.nextSeq;
    const action = actionOfSpend(spend, { lane, spendSeq, sessionIndex });
    const payer = feePayer.publicKey.toBase58();
    const computeBudget = await computeBudgetOf(deps, action, payer);
    const intent = { ...action, ...computeBudget, feePayer: payer, blockhash };
    const messageBytes = buildSpendMessage(deps.program, intent);
    const { wire, signature } = signSpend(deps.program, {
      intent,
      messageBytes,
      sessionKey,
      feePayer,
    });
    const signed = {
      signature,
      wire,
      blockhash,
      lastValidBlockHeight,
      blockhashSlot: slot,
      sessionIndex,
      feePayer: intent.feePayer,
      spendSeq,
      feeLamports: feeOf(intent),
    };
    return { signed, minContextSlot: newest(slot, lane.liveSlot ?? 0n, lane.lastSettledSlot) };
  };
}

/** Fee payer and session key sign; the price is in millionths of a lamport per compute unit. */
function feeOf({ computeUnitLimit, computeUnitPrice }: SpendIntent): bigint {
  const priority = (BigInt(computeUnitLimit) * computeUnitPrice + 999_999n) / 1_000_000n;
  return 2n * LAMPORTS_PER_SIGNATURE + priority;
}

type ComputeBudget = Pick<SpendIntent, 'computeUnitLimit' | 'computeUnitPrice'>;

async function computeBudgetOf(
  { program, priorityFees, computeUnitLimit: override }: PrepareDeps,
  action: SpendAction,
  feePayer: string,
): Promise<ComputeBudget> {
  const computeUnitLimit = override ?? unitLimitOf(program, action);
  const writable = [feePayer, ...writableAccountsOf(program, action)];
  const computeUnitPrice = await priorityFees.priceFor(writable, computeUnitLimit);
  return { computeUnitLimit, computeUnitPrice };
}

/**
 * The index of a session that the follower has not seen yet is read from the chain. Where the chain
 * has no such account either, any index will do: the program answers that the account is missing.
 */
async function sessionIndexOf(deps: PrepareDeps, lane: Lane): Promise<bigint> {
  if (lane.sessionIndex !== null) return lane.sessionIndex;
  const read = await deps.rpc.accounts([lane.sessionPda], { commitment: 'confirmed' });
  const account = read.accounts[0] ?? null;
  return account === null ? 0n : (deps.program.decodeSession(account)?.index ?? 0n);
}

function newest(...slots: readonly bigint[]): bigint {
  return slots.reduce((newestSlot, slot) => (slot > newestSlot ? slot : newestSlot));
}
