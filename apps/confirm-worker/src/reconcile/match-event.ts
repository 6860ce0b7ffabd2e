import type { Settlement } from '@agent-wallet/spend';
import type { UnjoinedEvent } from './read-unmatched.ts';
import type { Unexplained } from './record-discrepancies.ts';

export type EventVerdict =
  /** Nothing of ours: a vault that was made without this service, or a landing taken back. */
  | { readonly kind: 'passed_over' }
  /** The spend says what the event says. */
  | { readonly kind: 'joined' }
  /** The spend is open or refused, and the money moved. */
  | { readonly kind: 'landed'; readonly settlement: Settlement }
  | { readonly kind: 'unexplained'; readonly record: Unexplained };

/** Matches one event of a landed spend with the row that should have caused it. */
export function judgeEvent(event: UnjoinedEvent): EventVerdict {
  const { walletId, spend, spendId, signature, slot, data } = event;
  if (walletId === null) return { kind: 'passed_over' };
  const subject = `${signature} ${event.instructionIndex} ${event.innerIndex}`;
  const about = { subject, walletId, spendId, signature, slot };
  if (spend === null) {
    const detail = `${data.amount ?? 'an amount'} left the vault under sequence number ${data.spend_seq} of session ${data.session}, and no spend asked for it`;
    return { kind: 'unexplained', record: { kind: 'event_without_spend', ...about, detail } };
  }
  const differing = differences(event, spend);
  if (differing.length > 0) {
    const detail = `the event differs from its spend: ${differing.join('; ')}`;
    return { kind: 'unexplained', record: { kind: 'event_differs', ...about, detail } };
  }
  if (spend.txSignature === signature && isLanded(spend)) return { kind: 'joined' };
  if (spend.isForkedOut) return { kind: 'passed_over' };
  if (isLanded(spend)) {
    const detail = `the spend has landed already, as ${spend.txSignature}`;
    return { kind: 'unexplained', record: { kind: 'second_landing', ...about, detail } };
  }
  const attemptNo = spend.attemptOfSignature ?? spend.attempt;
  const { sessionId } = spend;
  const settlement = { spendId, walletId, sessionId, attemptNo, signature, slot } as const;
  return { kind: 'landed', settlement: { ...settlement, kind: 'landed_ok' } };
}

type SpendOfEvent = NonNullable<UnjoinedEvent['spend']>;

function isLanded({ status }: SpendOfEvent): boolean {
  return status === 'confirmed' || status === 'finalized';
}

/** What a row does not know yet cannot differ: its number, its session's index. */
function differences({ data, walletId }: UnjoinedEvent, spend: SpendOfEvent): readonly string[] {
  const pairs: readonly (readonly [string, string | null | undefined, string | null])[] = [
    ['wallet', walletId, spend.walletId],
    ['session', data.session, spend.sessionPda],
    ['session index', data.session_index, spend.sessionIndex ?? data.session_index],
    ['sequence number', data.spend_seq, spend.spendSeq ?? data.spend_seq],
    ['amount', data.amount ?? spend.amount, spend.amount],
    ['recipient', data.recipient ?? spend.recipient, spend.recipient],
  ];
  return pairs
    .filter(([, told, asked]) => told !== asked)
    .map(([name, told, asked]) => `${name} is ${told}, the spend says ${asked}`);
}
