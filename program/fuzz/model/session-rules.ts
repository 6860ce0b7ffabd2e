import { DAY_SECONDS, HOUR_SECONDS, type Session } from '../world/account.ts';
import type { Id } from '../world/universe.ts';
import {
  associatedProblems,
  fixedProblems,
  moveTokens,
  type Refusal,
  refusalOf,
  type Scene,
  sessionAt,
  sessionProblem,
  tokensProblems,
  vaultAt,
  vaultProblem,
  vaultTokensProblems,
  writableProblem,
} from './scene.ts';

const WINDOW = 256n;
const MAX_JUMP = 2n ** 32n;

/** Instruction bit of a session. */
export const TRANSFER_BIT = 1;

export function transferUsdc(scene: Scene): Refusal {
  const { universe, model, call } = scene;
  const { amount } = call.args;
  const [vault, recipient] = [scene.at('vault'), scene.at('recipient')];
  const [from, to] = [scene.at('vault_token_account'), scene.at('recipient_token_account')];
  const refusal =
    signerRefusal(scene, scene.at('session_key')) ?? spendRefusal(scene, TRANSFER_BIT);
  const session = sessionAt(scene, scene.at('session'));
  if (refusal !== null || session === undefined) return refusal;
  const { usdc } = universe.fixed;
  const refused =
    refusalOf(amount === 0n && 6007) ??
    refusalOf(amount > session.maxPerTx && 6001) ??
    refusalOf(!session.recipients.includes(recipient) && 6000) ??
    refusalOf(model.now < 0n && 6251) ??
    refusalOf(spentAt(session, model.now) + amount > session.dailyCap && 6002) ??
    refusalOf(
      ...vaultTokensProblems(scene, vault),
      ...associatedProblems(scene, to, recipient, usdc),
      call.args.recipient_bump !== universe.bumpOf(to) && 2009,
      ...tokensProblems(scene, to, recipient, usdc),
      ...fixedProblems(scene),
    ) ??
    moveTokens(scene, from, to, amount);
  if (refused !== null) return refused;
  session.spends.push({ countedAt: countedClock(session, model.now), amount });
  recordSequence(session, call.args.spend_seq);
  return null;
}

/**
 * The first checks of every session-signed instruction: vault, session and their relation; then the
 * signature. `alsoFirst` is a further error of the first group.
 */
export function signerRefusal(scene: Scene, key: Id, alsoFirst: number | null = null): Refusal {
  const [vault, session] = [scene.at('vault'), scene.at('session')];
  const problem = sessionProblem(scene, session, vault);
  return (
    refusalOf(
      alsoFirst,
      vaultProblem(scene, vault),
      writableProblem(scene, session),
      problem,
      problem === null && sessionAt(scene, session)?.key !== key && 2001,
    ) ?? refusalOf(!scene.flags.signer(key) && 3010)
  );
}

/** The session's rules in the design's order: index, replay, pause, expiry, instruction. */
export function spendRefusal(scene: Scene, bit: number): Refusal {
  const { model, call } = scene;
  const vault = vaultAt(scene, scene.at('vault'));
  const session = sessionAt(scene, scene.at('session'));
  if (vault === undefined || session === undefined) throw new Error('an account is missing');
  const { spend_seq: sequence, session_index: index } = call.args;
  return (
    refusalOf(index !== session.index && 6050) ??
    refusalOf(replayProblem(session, sequence)) ??
    refusalOf(vault.paused && 6006) ??
    refusalOf(model.now > session.expiry && 6003) ??
    refusalOf((session.allowedInstructions & bit) === 0 && 6004)
  );
}

export function recordSequence(session: Session, sequence: bigint): void {
  session.sequences.add(sequence);
  if (sequence > session.highest) session.highest = sequence;
}

function replayProblem({ highest, sequences }: Session, sequence: bigint): number | null {
  if (sequence === 0n) return 6052;
  if (sequence > highest) return sequence - highest > MAX_JUMP ? 6053 : null;
  if (highest - sequence >= WINDOW) return 6052;
  return sequences.has(sequence) ? 6051 : null;
}

/** A clock that went back counts as the clock of the latest spend. */
function countedClock({ spends }: Session, now: bigint): bigint {
  const last = spends.at(-1)?.countedAt ?? 0n;
  return now > last ? now : last;
}

/** Sum of the hours that ended less than 24 hours ago. */
export function spentAt(session: Session, now: bigint): bigint {
  const clock = countedClock(session, now);
  let sum = 0n;
  for (let place = session.spends.length - 1; place >= 0; place -= 1) {
    const spend = session.spends[place];
    if (spend === undefined) break;
    const hourEnd = (spend.countedAt / HOUR_SECONDS + 1n) * HOUR_SECONDS;
    if (hourEnd <= clock - DAY_SECONDS) break;
    sum += spend.amount;
  }
  return sum;
}
