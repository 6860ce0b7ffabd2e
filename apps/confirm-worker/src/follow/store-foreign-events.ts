import {
  type ProgramTransaction,
  sessionOfEvent,
  spendIdOfEvent,
  stringField,
} from '@agent-wallet/chain';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import { eventJson } from './event-json.ts';

const storedRow = z.object({ ours: z.array(z.string()), names: z.array(z.string()) });

/**
 * Stores the events of transactions that concern only vaults of no wallet here, all in one
 * statement: they change no other row, and anybody can send many of them. Returns the signatures of
 * the other transactions, which are left to `applyEvents`, and the names of the new events.
 */
export async function storeForeignEvents(
  db: Database,
  transactions: readonly ProgramTransaction[],
): Promise<{ readonly ours: ReadonlySet<string>; readonly names: readonly string[] }> {
  const events = transactions.flatMap(({ signature, slot, events: of }) =>
    of.map(
      (event) =>
        [
          signature,
          event.instructionIndex,
          event.innerIndex,
          slot,
          event.name,
          stringField(event.data, 'vault'),
          sessionOfEvent(event),
          spendIdOfEvent(event),
          eventJson(event.data),
        ] as const,
    ),
  );
  if (events.length === 0) return { ours: new Set(), names: [] };
  const types = ['text', 'int4', 'int4', 'int8', 'text', 'text', 'text', 'uuid', 'jsonb'];
  const { ours, names } = await db.one(sql.type(storedRow)`
    with told as materialized (
      select * from ${sql.unnest(events, types)} as event (signature, instruction_index,
        inner_index, slot, name, vault, session_pda, spend_id, data)
    ), ours as materialized (
      select distinct signature from told join wallet on wallet.vault_pda = told.vault
    ), stored as (
      insert into program_event (
        signature, instruction_index, inner_index, slot, name, vault, session_pda, spend_id, data)
      select * from told where signature not in (select signature from ours)
      order by signature, instruction_index, inner_index
      on conflict do nothing
      returning name
    )
    select array(select signature from ours) as ours, array(select name from stored) as names
  `);
  return { ours: new Set(ours), names };
}
