import { type ProgramFailure, refusalCodeOf } from '@agent-wallet/chain';
import type { Lane } from '@agent-wallet/spend';

/** Whether the session's account is absent at or past that slot: a second read at `confirmed`. */
export type IsSessionAbsent = (sessionPda: string, minSlot: bigint) => Promise<boolean>;

/** Why a spend is refused: the stable code, and the text for the caller. */
export type Refusal = { readonly code: string; readonly detail: string };

/**
 * The refusal in the contract's terms. A missing session account is believed only after a second
 * read at or past the slot at which it was last seen; null when the first answer was too old.
 */
export async function describeRefusal(
  isSessionAbsent: IsSessionAbsent,
  lane: Pick<Lane, 'sessionPda' | 'liveSlot'>,
  failure: ProgramFailure,
): Promise<Refusal | null> {
  const isMissingSession =
    failure.name === 'AccountNotInitialized' && failure.account === 'session';
  if (!isMissingSession) return { code: refusalCodeOf(failure), detail: failure.detail };
  const absent = await isSessionAbsent(lane.sessionPda, lane.liveSlot ?? 0n).catch(() => false);
  if (!absent) return null;
  if (lane.liveSlot === null) return { code: failure.name, detail: failure.detail };
  return { code: 'SessionRevoked', detail: `SessionRevoked: ${failure.detail}` };
}
