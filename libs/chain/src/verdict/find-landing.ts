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
import type { Commitment, SignatureRecord } from '../rpc/chain-reads.ts';
import type { WalletProgram } from '../program/program.ts';
import type { Rpc } from '../rpc/rpc.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 50;
const CONCURRENT_READS = 8;

export type LandingQuery = {
  readonly sessionPda: string;
  readonly sessionIndex: bigint;
  readonly spendSeq: bigint;
  /** The uuid of the spend that we look for. */
  readonly spendId: string;
  /** Nothing older than this slot is looked at: the slot of the first attempt's blockhash. */
  readonly sinceSlot: bigint;
  /** The node must have seen at least this slot. */
  readonly minContextSlot?: bigint;
  readonly commitment: Commitment;
};

/** `nothing` holds only for what the node showed; `complete` false when not all could be read. */
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

/** Searches page by page, newest first. Throws RPC_UNAVAILABLE when a read fails. */
export async function findLanding(
  rpc: Pick<Rpc, 'signaturesFor' | 'transaction'>,
  program: Pick<WalletProgram, 'eventsOf'>,
  query: LandingQuery,
): Promise<Landing> {
  const { sessionPda, commitment, minContextSlot, sinceSlot } = query;
  let before: string | undefined;
  let complete = true;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const records = await rpc.signaturesFor(sessionPda, {
      limit: PAGE_SIZE,
      commitment,
      ...(before === undefined ? {} : { before }),
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    });
    // A failed transaction has no events and moved nothing.
    const candidates = records.filter(({ slot, err }) => slot >= sinceSlot && err === null);
    for (let first = 0; first < candidates.length; first += CONCURRENT_READS) {
      const batch = candidates.slice(first, first + CONCURRENT_READS);
      const landings = await Promise.all(
        batch.map((record) => landingIn(rpc, program, query, record)),
      );
      const found = landings.find(({ kind }) => kind !== 'nothing');
      if (found !== undefined) return found;
      complete &&= landings.every((landing) => landing.kind === 'nothing' && landing.complete);
    }
    const oldest = records.at(-1);
    if (oldest === undefined || records.length < PAGE_SIZE || oldest.slot < sinceSlot) {
      return { kind: 'nothing', complete };
    }
    before = oldest.signature;
  }
  return { kind: 'nothing', complete: false };
}
