import { setTimeout as delay } from 'node:timers/promises';
import { type ProgramEvent, stringField } from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { HistoryEntry, ReadHistory } from './read-history.ts';
import type { Wallet } from '@agent-wallet/wallet';

/** Time for the follower to store an event that it has just read. */
const STORED_WITHIN_MS = 2_000;

const storedEvent = z.object({
  /** Transaction and place in it; of a matched landing the transaction alone. */
  place: z.string(),
  name: z.string(),
  slot: z.bigint(),
  data: z.record(z.string(), z.unknown()),
  isTakenBack: z.boolean(),
  isWhole: z.boolean(),
});

type StoredEvent = z.output<typeof storedEvent>;

export type EventComparison = {
  readonly events: number;
  /** Events on the chain that the follower has not read yet. */
  readonly notFollowed: number;
  readonly difference: string | null;
};

/**
 * Compares a vault's events on the chain with the database, both ways: with the stored events, and
 * with the spends that the follower matched without reading their event.
 */
export async function compareEvents(
  db: Database,
  readHistory: ReadHistory,
  wallet: Wallet,
): Promise<EventComparison> {
  const cursor = await db.maybeOneFirst(sql.type(z.object({ slot: z.bigint() }))`
    select slot from program_cursor
  `);
  const shown = eventsOfVault(await readHistory(wallet.vaultPda), wallet.vaultPda);
  let stored = await readStored(db, wallet);
  if (shown.some((one) => rowOf(stored, one) === undefined)) {
    await delay(STORED_WITHIN_MS);
    stored = await readStored(db, wallet);
  }
  let notFollowed = 0;
  for (const one of shown) {
    const { place, slot, event } = one;
    const row = rowOf(stored, one);
    const what = `event ${event.name} of ${place} in slot ${slot}`;
    if (row !== undefined) {
      const difference = differenceOf(event, row);
      if (difference !== null) return failed(`${what}: ${difference}`);
    } else if (cursor === null || slot > cursor) notFollowed += 1;
    else return failed(`${what} is on the chain and was not stored`);
  }
  const places = new Set(shown.flatMap(({ signature, place }) => [signature, place]));
  const missing = [...stored.values()].find(
    ({ place, isTakenBack }) => !places.has(place) && !isTakenBack,
  );
  if (missing !== undefined) {
    const { name, place, slot } = missing;
    return failed(`event ${name} of ${place} in slot ${slot} is stored and not on the chain`);
  }
  return { events: shown.length, notFollowed, difference: null };
}

const failed = (difference: string): EventComparison => ({
  events: 0,
  notFollowed: 0,
  difference,
});

type ShownEvent = {
  readonly signature: string;
  readonly place: string;
  readonly slot: bigint;
  readonly event: ProgramEvent;
};

function eventsOfVault(history: readonly HistoryEntry[], vault: string): readonly ShownEvent[] {
  return history.flatMap(({ signature, slot, events }) =>
    events
      .filter(({ data }) => stringField(data, 'vault') === vault)
      .map((event) => ({
        signature,
        place: `${signature} ${event.instructionIndex}.${event.innerIndex}`,
        slot,
        event,
      })),
  );
}

type Stored = ReadonlyMap<string, StoredEvent>;

function rowOf(stored: Stored, { signature, place }: ShownEvent): StoredEvent | undefined {
  return stored.get(place) ?? stored.get(signature);
}

/**
 * Returns the first field that differs. 64-bit integers are stored as decimal strings. A matched
 * spend has not every field of its event.
 */
function differenceOf(event: ProgramEvent, row: StoredEvent): string | null {
  if (event.name !== row.name) return `it is stored as ${row.name}`;
  const names = new Set(row.isWhole ? Object.keys(event.data) : []);
  for (const name of [...names, ...Object.keys(row.data)]) {
    const shown = textOf(event.data[name]);
    const stored = textOf(row.data[name]);
    if (shown !== stored) return `${name} is ${shown}, stored is ${stored}`;
  }
  return null;
}

function textOf(value: unknown): string {
  return JSON.stringify(value ?? null, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? inner.toString() : inner,
  );
}

async function readStored(db: Database, { walletId, vaultPda: vault }: Wallet): Promise<Stored> {
  const rows = await db.any(sql.type(storedEvent)`
    select signature || ' ' || instruction_index || '.' || inner_index as place, name, slot, data,
      exists (select 1 from audit
        where audit.spend_id = event.spend_id and reason = 'FORKED_OUT'
          and detail_signature = event.signature) as "isTakenBack",
      true as "isWhole"
    from program_event as event
    where vault = ${vault}
    order by slot, signature, instruction_index, inner_index
  `);
  const matched = await db.any(sql.type(storedEvent)`
    select tx_signature as place, 'UsdcTransferred' as name, landed_slot as slot,
      jsonb_build_object(
        'vault', ${vault}::text,
        'session', session.session_pda,
        'session_index', session.session_index::text,
        'spend_seq', spend_seq::text,
        'spend_id', replace(spend.spend_id::text, '-', ''),
        'amount', amount::text,
        'recipient', recipient) as data,
      false as "isTakenBack", false as "isWhole"
    from spend join session on session.session_id = spend.session_id
    where spend.wallet_id = ${walletId}::uuid and spend.event_joined_at is not null
      and spend.status in ('confirmed', 'finalized')
      and not exists (select 1 from program_event
        where program_event.signature = tx_signature
          and program_event.spend_id = spend.spend_id)
    order by landed_slot, tx_signature
  `);
  return new Map([...rows, ...matched].map((row) => [row.place, row]));
}
