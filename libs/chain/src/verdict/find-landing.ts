/**
 * Finds the transaction that used a spend_seq, in the signature history of the session account.
 * A landing is an event with our session_index and spend_seq; it is ours when the spend_id is too.
 */

import { bigintField, stringField } from '../program/coder-values.ts';
import {
  hexOfSpendId,
  sessionOfEvent,
  spendIdOfHex,
  type ProgramEvent,
} from '../program/events.ts';
import type { SignatureRecord } from '../rpc/read/chain-reads.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Rpc } from '../rpc/rpc.ts';
import { type HistoryQuery, walkHistory } from './walk-history.ts';

const CONCURRENT_READS = 8;

export type LandingQuery = HistoryQuery & {
  readonly sessionIndex: bigint;
  readonly spendSeq: bigint;
  /** The uuid of the spend. */
  readonly spendId: string;
};

/**
 * `nothing` describes only what the node showed. `complete` is false when a part of the history
 * could not be read.
 */
export type Landing =
  | { readonly kind: 'ours'; readonly signature: string; readonly slot: bigint }
  | {
      readonly kind: 'other_spend';
      readonly signature: string;
      readonly slot: bigint;
      readonly spendId: string;
    }
  | { readonly kind: 'nothing'; readonly complete: boolean };

function isOfSpend(event: ProgramEvent, query: LandingQuery): boolean {
  const { data } = event;
  if (!('spend_seq' in data && 'session_index' in data)) return false;
  const isSession = sessionOfEvent(event) === query.sessionPda;
  const isIndex = bigintField(data, 'session_index') === query.sessionIndex;
  return isSession && isIndex && bigintField(data, 'spend_seq') === query.spendSeq;
}

async function landingIn(
  rpc: Pick<Rpc, 'signaturesFor' | 'transaction'>,
  program: Pick<WalletProgram, 'eventsOf'>,
  query: LandingQuery,
  record: SignatureRecord,
): Promise<Landing> {
  const { signature, slot } = record;
  const transaction = await rpc.transaction(signature, query.commitment);
  if (transaction === null) return { kind: 'nothing', complete: false };
  const event = program.eventsOf(transaction).find((candidate) => isOfSpend(candidate, query));
  if (event === undefined) return { kind: 'nothing', complete: true };
  const found = stringField(event.data, 'spend_id');
  if (found === hexOfSpendId(query.spendId)) return { kind: 'ours', signature, slot };
  return { kind: 'other_spend', signature, slot, spendId: spendIdOfHex(found) };
}

/** Searches newest first. Throws RPC_UNAVAILABLE when a read fails. */
export async function findLanding(
  rpc: Pick<Rpc, 'signaturesFor' | 'transaction'>,
  program: Pick<WalletProgram, 'eventsOf'>,
  query: LandingQuery,
): Promise<Landing> {
  let isReadable = true;
  const { result, isWhole } = await walkHistory(rpc, query, async (records) => {
    // A failed transaction has no events and moved nothing.
    const candidates = records.filter(({ err }) => err === null);
    for (let first = 0; first < candidates.length; first += CONCURRENT_READS) {
      const batch = candidates.slice(first, first + CONCURRENT_READS);
      const landings = await Promise.all(
        batch.map((record) => landingIn(rpc, program, query, record)),
      );
      const found = landings.find(({ kind }) => kind !== 'nothing');
      if (found !== undefined) return found;
      isReadable &&= landings.every((landing) => landing.kind === 'nothing' && landing.complete);
    }
    return null;
  });
  return result ?? { kind: 'nothing', complete: isWhole && isReadable };
}
