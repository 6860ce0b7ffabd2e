import type { Intake } from '@agent-wallet/db';
import type { FeePayerRow, StuckSpend } from '@agent-wallet/spend';

/** What holds a spend up: a stable word, and a sentence for people. */
export type Wait = { readonly cause: WaitCause; readonly sentence: string };

type WaitCause =
  | 'intake'
  | 'keystore'
  | 'fee_payers'
  | 'lane'
  | 'earlier_spends'
  | 'faults'
  | 'tx_worker'
  | 'confirm_worker'
  | 'verdict'
  | 'facilitator'
  | 'finality';

/** The state of the service that can hold up every spend. */
export type ServiceFacts = {
  /** Null before the first start. */
  readonly intake: Intake | null;
  readonly keystoreFits: boolean;
  readonly feePayers: readonly FeePayerRow[];
};

/** A look that is later than this is one that no confirm-worker made. */
const OVERDUE_SECONDS = 15;
/** A tx-worker reads the balances every 10 seconds. */
const FRESH_SECONDS = 60;

/** Returns what a spend waits for, by the first cause that applies. */
export function waitsFor(spend: StuckSpend, facts: ServiceFacts): Wait {
  switch (spend.status) {
    case 'queued':
      return queuedWait(spend, facts);
    case 'in_flight':
      return inFlightWait(spend);
    case 'confirmed':
    case 'reverted':
      return {
        cause: 'finality',
        sentence: `${spend.status}, and not final yet: a confirm-worker looks for ${spend.txSignature ?? 'it'} at a finalized slot`,
      };
  }
}

function queuedWait(spend: StuckSpend, facts: ServiceFacts): Wait {
  const { intake } = facts;
  if (intake !== null && !intake.isOpen) {
    const reason = intake.reason ?? 'the database was replaced';
    return { cause: 'intake', sentence: `intake is closed: ${reason}` };
  }
  if (!facts.keystoreFits) {
    return {
      cause: 'keystore',
      sentence: 'the KEYSTORE_KEY of the tx-worker opens no session key',
    };
  }
  if (areFeePayersEmpty(facts.feePayers)) {
    return { cause: 'fee_payers', sentence: 'every fee payer is below its floor: send them SOL' };
  }
  if (spend.laneHolder !== null) {
    return { cause: 'lane', sentence: `tx-worker ${spend.laneHolder} holds the lane now` };
  }
  if (spend.ahead > 0) {
    const sentence = `${spend.ahead} earlier open spends of the session come first`;
    return { cause: 'earlier_spends', sentence };
  }
  if (spend.faults > 0) {
    const sentence = `signing failed ${spend.faults} times; see "lane fault" in the log of the tx-worker`;
    return { cause: 'faults', sentence };
  }
  const again = spend.attempt > 0 ? `attempt ${spend.attempt} has expired; ` : '';
  return { cause: 'tx_worker', sentence: `${again}no tx-worker has taken the free lane` };
}

function inFlightWait(spend: StuckSpend): Wait {
  if (spend.overdueSeconds !== null && spend.overdueSeconds > OVERDUE_SECONDS) {
    const late = Math.floor(spend.overdueSeconds);
    return {
      cause: 'confirm_worker',
      sentence: `no confirm-worker has looked at attempt ${spend.attempt}, due ${late} s ago`,
    };
  }
  const until = `until finalized block ${spend.lastValidBlockHeight ?? 'unknown'}`;
  if (spend.broadcaster === 'facilitator') {
    const holder = spend.isReleased ? 'a facilitator has the bytes' : 'the bytes were not released';
    return { cause: 'facilitator', sentence: `${holder}, which can land ${until}` };
  }
  const sends = `sent again ${spend.broadcasts} times`;
  return {
    cause: 'verdict',
    sentence: `attempt ${spend.attempt} (${spend.txSignature ?? 'no signature'}) can land ${until}; ${sends}`,
  };
}

/** Whether no running tx-worker has an account that can pay. */
export function areFeePayersEmpty(payers: readonly FeePayerRow[]): boolean {
  const running = payers.filter(({ secondsAgo }) => secondsAgo < FRESH_SECONDS);
  return running.length > 0 && running.every(isBelowFloor);
}

export const isBelowFloor = (payer: Pick<FeePayerRow, 'lamports' | 'floorLamports'>): boolean =>
  payer.lamports < payer.floorLamports;
