import { type AuditItem, formatUsdc, type ListedSpend } from '@agent-wallet/sdk/owner';
import { toCsv } from './csv.ts';
import { isUsdc } from '../list/names.ts';
import { findWords } from '../reasons/find-words.ts';

/** The most rows of one file. Narrower times give the rest. */
export const MAX_EXPORTED = 10_000;

export type Exported = { readonly csv: string; readonly count: number; readonly isCut: boolean };

const SPEND_HEADING = [
  'accepted_at',
  'session_id',
  'kind',
  'status',
  'amount_usdc',
  'recipient_or_url',
  'reason',
  'reason_in_words',
  'tx_signature',
  'finalized',
  'settled_at',
  'spend_id',
];

const DECISION_HEADING = [
  'decided_at',
  'session_id',
  'action',
  'decision',
  'amount_usdc',
  'recipient_or_url',
  'reason',
  'reason_in_words',
  'detail',
  'tx_signature',
  'failed_tx_signature',
  'correction',
  'spend_id',
  'id',
];

/** Spends as a CSV file, as many as one file holds. `onRow` gets the number of rows so far. */
export const exportSpends = (
  spends: AsyncIterable<ListedSpend>,
  onRow?: (count: number) => void,
): Promise<Exported> => exportList(SPEND_HEADING, spends, spendCells, onRow);

/** The same for decisions. The amount of something else than USDC is left empty. */
export const exportDecisions = (
  decisions: AsyncIterable<AuditItem>,
  onRow?: (count: number) => void,
): Promise<Exported> => exportList(DECISION_HEADING, decisions, decisionCells, onRow);

async function exportList<Item>(
  heading: readonly string[],
  list: AsyncIterable<Item>,
  cellsOf: (item: Item) => readonly string[],
  onRow: (count: number) => void = () => undefined,
): Promise<Exported> {
  const rows: (readonly string[])[] = [];
  let isCut = false;
  for await (const item of list) {
    isCut = rows.length === MAX_EXPORTED;
    if (isCut) break;
    rows.push(cellsOf(item));
    onRow(rows.length);
  }
  return { csv: toCsv(heading, rows), count: rows.length, isCut };
}

const wordsOf = (code: string | null): string => (code === null ? '' : findWords(code).why);

const spendCells = (spend: ListedSpend): readonly string[] => [
  spend.created_at,
  spend.session_id,
  spend.kind,
  spend.status,
  formatUsdc(spend.amount),
  spend.recipient_or_url ?? '',
  spend.code ?? '',
  wordsOf(spend.code),
  spend.tx_signature ?? '',
  String(spend.finalized),
  spend.settled_at ?? '',
  spend.spend_id,
];

const decisionCells = (item: AuditItem): readonly string[] => [
  item.created_at,
  item.session_id ?? '',
  item.action,
  item.decision,
  item.amount === null || !isUsdc(item.action) ? '' : formatUsdc(item.amount),
  item.recipient_or_url ?? '',
  item.reason ?? '',
  wordsOf(item.reason),
  item.detail ?? '',
  item.tx_signature ?? '',
  item.detail_signature ?? '',
  String(item.correction),
  item.spend_id ?? '',
  item.id,
];
