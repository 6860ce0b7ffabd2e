import {
  applySpend,
  fitsAt,
  predictProgramRefusal,
  predictVaultRefusal,
} from '@agent-wallet/policy';
import type { HttpRefusal } from '../http/http-refusal.ts';
import { INSTRUCTION_OF } from '../spend/accept/predicted-refusal.ts';
import { refusalByProgram } from '../spend/refuse/refusals.ts';
import type { QuotedSpend, QuoteFacts } from './quote-facts.ts';

type Session = NonNullable<QuoteFacts['session']>;

/**
 * The program's first refusal, predicted from its accounts as last read; beside a full daily cap
 * also a recipient that cannot be paid. Pure.
 */
export function judgeOnChain(facts: QuoteFacts, spend: QuotedSpend): HttpRefusal[] {
  const { vault, session } = facts;
  if (vault === null || session === null) return [missingSession(facts)];
  const nowSeconds = BigInt(Math.floor(facts.nowMs / 1000));
  const counting = withPending(session, facts.reserved.session, nowSeconds);
  const instruction = INSTRUCTION_OF[spend.kind];
  const { amount, recipient } = spend;
  const limit = predictProgramRefusal(
    { ...counting, paused: vault.paused },
    { instruction, amount, recipient, nowSeconds },
  );
  if (limit === 'DailyCapExceeded') {
    const at = fitsAt(counting.window, nowSeconds, amount, session.dailyCap);
    const full = refusalByProgram(words(limit), limit, {}, at === null ? null : Number(at));
    return facts.isPayable ? [full] : [full, unpayable()];
  }
  if (limit !== null) return [refusalByProgram(words(limit), limit)];
  if (instruction === 'transfer_usdc') return facts.isPayable ? [] : [unpayable()];
  const { deployedAmount: deployed, maxDeployedFractionBp } = vault;
  const held = { liquid: facts.liquid, deployed, maxDeployedFractionBp };
  const refused = predictVaultRefusal(held, { instruction, amount });
  return refused === null ? [] : [refusalByProgram(words(refused), refused)];
}

/** The session as it will be once its open spends have landed. */
export function withPending(session: Session, pending: bigint, nowSeconds: bigint): Session {
  if (pending === 0n) return session;
  return { ...session, window: applySpend(session.window, nowSeconds, pending) };
}

const words = (name: string): string => `${name}: by the accounts as they were last read`;

const unpayable = (): HttpRefusal =>
  refusalByProgram(
    'AccountNotInitialized: the recipient has no USDC token account',
    'AccountNotInitialized',
  );

function missingSession({ wasLive }: QuoteFacts): HttpRefusal {
  const name = wasLive ? 'SessionRevoked' : 'AccountNotInitialized';
  return refusalByProgram(`${name}: the session is not on chain`, name);
}
