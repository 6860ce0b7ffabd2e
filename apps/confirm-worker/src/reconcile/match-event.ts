import { isLanded, type Settlement } from '@agent-wallet/spend';
import type { UnmatchedEvent } from './read-unmatched.ts';
import type { Discrepancy } from './record-discrepancies.ts';

export type EventMatch =
  /** Not ours: a vault created without this service, or a landing that a fork took back. */
  | { readonly kind: 'ignored' }
  /** The spend agrees with the event. */
  | { readonly kind: 'matched' }
  /** The spend is open or refused, and the money moved. */
  | { readonly kind: 'landed'; readonly settlement: Settlement }
  | { readonly kind: 'discrepancy'; readonly record: Discrepancy };

/** Compares one spend event with the row of its spend. */
export function matchEvent(event: UnmatchedEvent): EventMatch {
  const { walletId, spend, spendId, signature, slot, data } = event;
  if (walletId === null) return { kind: 'ignored' };
  const discrepancy = (kind: Discrepancy['kind'], detail: string): EventMatch => {
    const subject = `${signature} ${event.instructionIndex} ${event.innerIndex}`;
    const record = { kind, subject, walletId, spendId, signature, slot, detail };
    return { kind: 'discrepancy', record };
  };
  if (spend === null) {
    const detail = `${data.amount ?? 'an amount'} left the vault under sequence number ${data.spend_seq} of session ${data.session}, and belongs to no spend`;
    return discrepancy('event_without_spend', detail);
  }
  const differing = differences(event, spend);
  if (differing.length > 0) {
    const detail = `the event differs from its spend: ${differing.join('; ')}`;
    return discrepancy('event_differs', detail);
  }
  if (spend.txSignature === signature && isLanded(spend.status)) return { kind: 'matched' };
  if (spend.isForkedOut) return { kind: 'ignored' };
  if (isLanded(spend.status)) {
    return discrepancy('second_landing', `the spend has landed already, as ${spend.txSignature}`);
  }
  const attemptNo = spend.attemptOfSignature ?? spend.attempt;
  const { sessionId } = spend;
  const settlement = { spendId, walletId, sessionId, attemptNo, signature, slot } as const;
  return { kind: 'landed', settlement: { ...settlement, kind: 'landed_ok' } };
}

type SpendOfEvent = NonNullable<UnmatchedEvent['spend']>;

/** The fields that differ. A field that the row does not hold yet cannot differ. */
function differences({ data, walletId }: UnmatchedEvent, spend: SpendOfEvent): readonly string[] {
  const pairs: readonly (readonly [string, string | null | undefined, string | null])[] = [
    ['wallet', walletId, spend.walletId],
    ['session', data.session, spend.sessionPda],
    ['session index', data.session_index, spend.sessionIndex ?? data.session_index],
    ['sequence number', data.spend_seq, spend.spendSeq ?? data.spend_seq],
    ['amount', data.amount ?? spend.amount, spend.amount],
    ['recipient', data.recipient ?? spend.recipient, spend.recipient],
  ];
  return pairs
    .filter(([, ofEvent, ofSpend]) => ofEvent !== ofSpend)
    .map(([name, ofEvent, ofSpend]) => `${name} is ${ofEvent}, the spend says ${ofSpend}`);
}
