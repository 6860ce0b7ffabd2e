import type { RefusalName } from '@agent-wallet/contract';
import { FAULT_WORDS } from './of-faults.ts';
import { PROGRAM_WORDS } from './of-program.ts';
import { REQUEST_WORDS } from './of-requests.ts';
import { RULE_WORDS } from './of-rules.ts';
import { CORRECTION_WORDS, SERVICE_WORDS } from './of-services.ts';
import type { Words } from './words.ts';

/** Every refusal of the API has words: a new one does not compile without. */
const REFUSAL_WORDS: Readonly<Record<RefusalName, Words>> = {
  ...RULE_WORDS,
  ...SERVICE_WORDS,
  ...CORRECTION_WORDS,
  ...FAULT_WORDS,
  ...REQUEST_WORDS,
};

const WORDS: Readonly<Record<string, Words>> = {
  ...PROGRAM_WORDS,
  ...CORRECTION_WORDS,
  ...REFUSAL_WORDS,
};

/**
 * What an owner reads for the `reason` of a row in the log or the `code` of a rejected spend. A name
 * that this page does not know, such as an error of another program, is shown as it is.
 */
export function findWords(code: string): Words {
  return Object.hasOwn(WORDS, code) ? (WORDS[code] ?? unknown(code)) : unknown(code);
}

const unknown = (code: string): Words => ({ why: `A program on chain refused it: ${code}.` });
