import { type Call, isByOwner, type Step } from '../step.ts';
import type { Id } from '../world/universe.ts';
import type { Choice, Hand } from './hand.ts';

/** What drawing remembers of a world. */
export type Memory = {
  /** Calls of the program that were signed before, newest last, whether they passed or not. */
  readonly signed: Call[];
  /** The vault that its owner is about to close. */
  leaving: Id | null;
};

const REMEMBERED = 300;

export function createMemory(): Memory {
  return { signed: [], leaving: null };
}

export function remember({ signed }: Memory, step: Step): void {
  if (step.do !== 'send') return;
  signed.push(...step.calls.filter(({ program }) => program === 'wallet'));
  signed.splice(0, signed.length - REMEMBERED);
}

/**
 * A transaction of calls that somebody withheld: most of them by an owner, and for the chosen
 * session, which may have been revoked or created again since.
 */
export function drawWithheld({ random, universe, memory }: Hand, choice: Choice): Step | null {
  const owners = memory.signed.filter((call) => isByOwner(call, universe));
  const lists = [
    naming(owners, choice.sessionId),
    naming(owners, choice.sessionId),
    naming(owners, choice.wallet.vault),
    naming(memory.signed, choice.sessionId),
    memory.signed,
  ].filter((list) => list.length > 0);
  if (lists.length === 0) return null;
  const calls = Array.from({ length: random.pick([1, 1, 1, 2]) }, () =>
    random.pick(random.pick(lists)),
  );
  return { do: 'send', calls };
}

/** The calls that name this account. */
export function naming(calls: readonly Call[], id: Id): readonly Call[] {
  return calls.filter(({ metas }) => metas.some((meta) => meta.id === id));
}
