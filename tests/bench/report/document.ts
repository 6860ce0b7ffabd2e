/** The parts of docs/performance.md that the bench writes and reads. */
import type { Line } from '../row.ts';

const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';
const SECTION = '## Rows that miss';
/** An entry: the ids of its lines in backticks, a colon, and the reason. */
const ENTRY = /^- (?<ids>`[^:]*`): (?<reason>.+)$/gm;
const ID = /`(?<id>[^`]+)`/g;
const NUMBER = /\d/;

/** Replaces what is between the markers. Throws when the document has none. */
export function replaceResult(document: string, result: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin === -1 || end < begin) throw new RangeError(`there is no ${BEGIN} before ${END}`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${result}\n\n${document.slice(end)}`;
}

/** The ids that the section has an entry for. A reason without a number was not measured. */
function explainedIds(document: string): ReadonlySet<string> {
  const [, section = ''] = document.split(`\n${SECTION}\n`);
  const [own = ''] = section.split('\n## ');
  // An entry may continue on indented lines.
  const entries = own.replaceAll(/\n {2,}/g, ' ').matchAll(ENTRY);
  const ids = [...entries]
    .filter(({ groups }) => NUMBER.test(groups?.['reason'] ?? ''))
    .flatMap(({ groups }) => [...(groups?.['ids'] ?? '').matchAll(ID)])
    .map(({ groups }) => groups?.['id'] ?? '');
  return new Set(ids);
}

/** The lines that miss their target and have no entry. */
export function findUnexplained(document: string, lines: readonly Line[]): readonly string[] {
  const explained = explainedIds(document);
  return lines
    .filter(({ verdict, id }) => verdict === 'missed' && !explained.has(id))
    .map(({ id }) => id);
}
