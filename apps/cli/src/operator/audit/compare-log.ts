import { OWNER_ACTIONS } from '@agent-wallet/audit';
import type { Database } from '@agent-wallet/db';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Wallet } from '@agent-wallet/wallet';

const facts = {
  action: z.string(),
  amount: z.bigint().nullable(),
  recipient: z.string().nullable(),
  sessionId: z.string().nullable(),
};

const logRow = z.object({
  seq: z.bigint(),
  spendId: z.string().nullable(),
  decision: z.enum(['allow', 'deny']),
  txSignature: z.string().nullable(),
  ...facts,
  isNewest: z.boolean(),
  spend: z
    .object({
      status: z.string(),
      txSignature: z.string().nullable(),
      action: z.string(),
      amount: z.string(),
      recipient: z.string().nullable(),
      sessionId: z.string().nullable(),
    })
    .nullable(),
  event: z
    .object({
      vault: z.string(),
      amount: z.string().nullable(),
      recipient: z.string().nullable(),
      /** Base units that an owner moved. */
      moved: z.string().nullable(),
    })
    .nullable(),
  isFollowed: z.boolean(),
  /** The follower matched its spend without storing the event. */
  isMatched: z.boolean(),
});

/** A row of the log with its spend and its program event. */
type LogRow = z.output<typeof logRow>;

/** Event names with their actions. Each owner event of a chain transaction has its own row. */
const OWNER_EVENTS = sql.unnest(Object.entries(OWNER_ACTIONS), ['text', 'text']);

const PAGE = 500;
const MAX_PAGES = 1_000_000;

export type LogComparison = {
  readonly rows: number;
  /** Landings that the follower has not read yet. */
  readonly notFollowed: number;
  readonly difference: string | null;
};

/** Compares each row of the wallet's log with its spend and its event, oldest first. */
export async function compareLog(db: Database, wallet: Wallet): Promise<LogComparison> {
  let rows = 0;
  let notFollowed = 0;
  let after = 0n;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const read = await readPage(db, wallet, after);
    for (const row of read) {
      const difference = differenceOf(row, wallet);
      if (difference !== null) {
        return { rows, notFollowed, difference: `log row ${row.seq}: ${difference}` };
      }
      rows += 1;
      if (isLanding(row) && row.event === null && !row.isMatched) notFollowed += 1;
    }
    after = read.at(-1)?.seq ?? after;
    if (read.length < PAGE) break;
  }
  return { rows, notFollowed, difference: null };
}

/** Returns how a row differs from its spend and its event; null when it does not. */
function differenceOf(row: LogRow, wallet: Pick<Wallet, 'vaultPda'>): string | null {
  if (row.spendId !== null) {
    if (row.spend === null) return `there is no spend ${row.spendId}`;
    const differing =
      differingFact(row, row.spend, 'its spend says') ?? differingOutcome(row, row.spend);
    if (differing !== null) return differing;
  }
  if (!isLanding(row)) return null;
  const { event } = row;
  if (event === null) {
    if (row.isMatched || !row.isFollowed) return null;
    return `there is no event of the program for ${row.txSignature}`;
  }
  if (event.vault !== wallet.vaultPda) return `its event is of vault ${event.vault}`;
  if (row.spendId === null) {
    const logged = row.amount?.toString() ?? null;
    return logged === event.moved ? null : `amount is ${logged}, ${EVENT_SAYS} ${event.moved}`;
  }
  const others = { amount: event.amount, recipient: event.recipient };
  return differingFact(
    row,
    { ...others, action: row.action, sessionId: row.sessionId },
    EVENT_SAYS,
  );
}

const EVENT_SAYS = "the program's event says";

/** Whether this is the current row of its spend and says that money moved. */
function isLanding({ decision, isNewest }: LogRow): boolean {
  return decision === 'allow' && isNewest;
}

type Facts = {
  readonly action: string;
  readonly amount: string | null;
  readonly recipient: string | null;
  readonly sessionId: string | null;
};

function differingFact(row: LogRow, others: Facts, says: string): string | null {
  const pairs: readonly (readonly [string, string | null, string | null])[] = [
    ['action', row.action, others.action],
    ['amount', row.amount?.toString() ?? null, others.amount],
    ['recipient', row.recipient, others.recipient],
    ['session', row.sessionId, others.sessionId],
  ];
  const differing = pairs.find(([, logged, other]) => logged !== other);
  if (differing === undefined) return null;
  const [name, logged, other] = differing;
  return `${name} is ${logged}, ${says} ${other}`;
}

/** The newest row of a spend must agree with the spend's status and signature. */
function differingOutcome(row: LogRow, spend: NonNullable<LogRow['spend']>): string | null {
  if (!row.isNewest) return null;
  const isLanded = spend.status === 'confirmed' || spend.status === 'finalized';
  const isRefused = spend.status === 'rejected' || spend.status === 'reverted';
  if (row.decision === 'allow' ? !isLanded : !isRefused) {
    return `it says ${row.decision}, its spend is ${spend.status}`;
  }
  if (row.decision === 'deny' || row.txSignature === spend.txSignature) return null;
  return `tx_signature is ${row.txSignature}, its spend says ${spend.txSignature}`;
}

/** Reads a page in one statement, as of one moment. The newest landings may be unfollowed. */
async function readPage(db: Database, wallet: Wallet, after: bigint): Promise<readonly LogRow[]> {
  return db.any(sql.type(logRow)`
    select a.seq, a.spend_id as "spendId", a.decision, a.tx_signature as "txSignature", a.action,
      a.amount, a.recipient, a.session_id as "sessionId",
      a.spend_id is null or not exists (select 1 from audit newer
        where newer.spend_id = a.spend_id and newer.correction > a.correction) as "isNewest",
      case when spend.spend_id is null then null else json_build_object(
        'status', spend.status, 'txSignature', spend.tx_signature, 'action', spend.kind,
        'amount', spend.amount::text, 'recipient', spend.recipient,
        'sessionId', spend.session_id) end as spend,
      (select json_build_object('vault', e.vault, 'amount', e.data ->> 'amount',
          'recipient', coalesce(e.data ->> 'recipient', a.recipient), 'moved', e.moved)
        from (select *, coalesce(data ->> 'liquidity_delta', data ->> 'amount') as moved
          from program_event) as e
        where e.signature = a.tx_signature and e.spend_id is not distinct from a.spend_id
          and (a.spend_id is not null or (e.name, a.action) in (
            select name, action from ${OWNER_EVENTS} as known (name, action)))
        order by e.moved is distinct from a.amount::text, e.instruction_index, e.inner_index
        limit 1) as event,
      spend.spend_id is null or (spend.settled_at < now() - interval '10 seconds'
        and coalesce(spend.landed_slot, 0) <= coalesce((select slot from program_cursor), 0)
      ) as "isFollowed",
      spend.event_joined_at is not null as "isMatched"
    from audit a
    left join spend on spend.spend_id = a.spend_id and spend.wallet_id = a.wallet_id
    where a.wallet_id = ${wallet.walletId}::uuid and a.seq > ${after}
    order by a.seq
    limit ${PAGE}
  `);
}
