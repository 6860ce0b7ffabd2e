import type { BlockhashSource, Reserve, Rpc, WalletProgram } from '@agent-wallet/chain';
import type { Lane, Spend } from '@agent-wallet/spend';
import { actionOfSpend } from './action-of-spend.ts';
import { createReadCollateral } from './read-collateral.ts';
import type { Preparation } from './preparation.ts';
import { createSignForFacilitator, type FacilitatorDeps } from './sign-for-facilitator.ts';
import { createSignOwn, type SignOwnDeps } from './sign-own.ts';

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
    switch (spend.broadcaster) {
      case 'worker':
        return { kind: 'signed', signed: await signOwn(basis), minContextSlot };
      case 'facilitator':
        return signForFacilitator(basis);
    }
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
