import {
  type BlockhashSource,
  buildSpendMessage,
  type PriorityFees,
  type Reserve,
  type Rpc,
  signSpend,
  type SpendAction,
  unitLimitOf,
  type WalletProgram,
  writableAccountsOf,
} from '@agent-wallet/chain';
import { AppError } from '@agent-wallet/errors';
import type { Keystore } from '@agent-wallet/keystore';
import type { Lane, SignedAttempt, Spend } from '@agent-wallet/spend';
import { startSpan } from '@agent-wallet/tracing';
import type { Signer } from '@agent-wallet/signer';
import { createReadCollateral } from './read-collateral.ts';
import { type AttemptBasis, attemptFacts, type Preparation } from './preparation.ts';
import { createSignForFacilitator, type FacilitatorDeps } from './sign-for-facilitator.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;

type SignOwnDeps = {
  readonly program: WalletProgram;
  readonly keystore: Pick<Keystore, 'load'>;
  readonly feePayerOf: (sessionId: string, recipient: string | null) => Signer;
  readonly priorityFees: Pick<PriorityFees, 'priceFor'>;
  /** Instead of the limit that follows from the measured cost. */
  readonly computeUnitLimit: number | undefined;
};

export type PrepareSpend = (lane: Lane, spend: Spend) => Promise<Preparation>;

type PrepareDeps = SignOwnDeps &
  FacilitatorDeps & {
    readonly rpc: Pick<Rpc, 'accounts'>;
    readonly program: WalletProgram;
    readonly blockhashes: BlockhashSource;
    /** Null where the chain has none. */
    readonly reserve: Reserve | null;
  };

/**
 * Builds and signs the next attempt of a spend, in memory only. A first attempt takes the session's
 * next sequence number, a later one keeps its own.
 *
 * Throws SIGNER_MISMATCH when the bytes do not match the row, and RPC_UNAVAILABLE,
 * KEYSTORE_UNAVAILABLE or FEE_PAYERS_EMPTY when a dependency is unavailable.
 */
export function createPrepareSpend(deps: PrepareDeps): PrepareSpend {
  const signOwn = createSignOwn(deps);
  const signForFacilitator = createSignForFacilitator(deps);
  const readCollateral = createReadCollateral(deps);
  return async (lane, spend) => {
    const sessionIndex = await sessionIndexOf(deps, lane);
    const spendSeq = spend.spendSeq ?? lane.nextSeq;
    const blockhash = await deps.blockhashes.current();
    const minContextSlot = newest(blockhash.slot, lane.liveSlot ?? 0n, lane.lastSettledSlot);
    const collateralAmount =
      spend.kind === 'yield_withdraw' ? await readCollateral(lane, spend.amount) : null;
    const { reserve } = deps;
    const facts = { lane, spendSeq, sessionIndex, reserve, collateralAmount };
    const action = actionOfSpend(spend, facts);
    const basis = { lane, spend, spendSeq, sessionIndex, action, blockhash, minContextSlot };
    const endSigning = startSpan('sign');
    const preparation =
      spend.broadcaster === 'worker'
        ? ({ kind: 'signed', signed: await signOwn(basis), minContextSlot } as const)
        : await signForFacilitator(basis);
    endSigning(spend, { attributes: { 'agent_wallet.outcome': preparation.kind } });
    return preparation;
  };
}

/**
 * The index of a session that the follower has not seen yet is read from the chain. Without such an
 * account any index will do: the program refuses because the account is missing.
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

/** Facts of the session and the chain that an action needs beside the row. */
type ActionFacts = {
  readonly lane: Pick<Lane, 'vaultPda' | 'sessionPubkey'>;
  readonly spendSeq: bigint;
  readonly sessionIndex: bigint;
  /** Null where the chain has none. */
  readonly reserve: Reserve | null;
  /** What a withdrawal from the reserve redeems; null for every other kind. */
  readonly collateralAmount: bigint | null;
};

/**
 * The chain action of a row, one arm per kind. Throws INTERNAL for a row that lacks a field, or
 * whose kind has no instruction.
 */
function actionOfSpend(spend: Spend, facts: ActionFacts): SpendAction {
  const { reserve, collateralAmount } = facts;
  const common = {
    vault: facts.lane.vaultPda,
    sessionPubkey: facts.lane.sessionPubkey,
    amount: spend.amount,
    spendSeq: facts.spendSeq,
    sessionIndex: facts.sessionIndex,
    spendId: spend.spendId,
  };
  switch (spend.kind) {
    // To the chain a payment is a transfer to the service: the same instruction, the same limits.
    case 'transfer':
    case 'sign_payment':
    case 'pay_service':
      if (spend.recipient === null) throw noBuilder(spend);
      return { kind: 'transfer', ...common, recipient: spend.recipient };
    case 'yield_deposit':
      if (reserve === null) throw noBuilder(spend);
      return { kind: 'yield_deposit', ...common, reserve };
    case 'yield_withdraw':
      if (reserve === null || collateralAmount === null) throw noBuilder(spend);
      return { kind: 'yield_withdraw', ...common, reserve, collateralAmount };
  }
}

function noBuilder({ kind }: Spend): AppError {
  return new AppError('INTERNAL', { reason: `no builder for this ${kind}` });
}

/** Signs what we send ourselves: with the session key, and with a fee payer of ours. */
function createSignOwn(deps: SignOwnDeps): (basis: AttemptBasis) => Promise<SignedAttempt> {
  const { program } = deps;
  return async (basis) => {
    const { lane, spend, action, blockhash } = basis;
    const sessionKey = await deps.keystore.load(lane.sessionPubkey);
    const feePayer = deps.feePayerOf(lane.sessionId, spend.recipient);
    const payer = feePayer.address;
    const computeUnitLimit = deps.computeUnitLimit ?? unitLimitOf(program, action);
    const writable = [payer, ...writableAccountsOf(program, action)];
    const computeUnitPrice = deps.priorityFees.priceFor(writable, computeUnitLimit, spend.attempt);
    const budget = { computeUnitLimit, computeUnitPrice };
    const intent = { ...action, ...budget, feePayer: payer, blockhash: blockhash.blockhash };
    const messageBytes = buildSpendMessage(program, intent);
    const request = { intent, messageBytes, sessionKey, feePayer };
    const { wire, signature } = await signSpend(program, request);
    return {
      signature,
      wire,
      ...attemptFacts(basis, payer),
      feeLamports: feeOf(computeUnitLimit, computeUnitPrice),
    };
  };
}

/** Fee payer and session key sign; the price is in millionths of a lamport per compute unit. */
function feeOf(computeUnitLimit: number, computeUnitPrice: bigint): bigint {
  const priority = (BigInt(computeUnitLimit) * computeUnitPrice + 999_999n) / 1_000_000n;
  return 2n * LAMPORTS_PER_SIGNATURE + priority;
}
