/**
 * The program's events, read from its calls to itself. These calls are never truncated and cannot
 * be forged: only the program can sign as its event authority, and a failed transaction has none.
 */

import type { ChainTransaction, InnerInstruction } from '../rpc/read/chain-reads.ts';
import { plainRecordOf, stringField, type PlainRecord } from './coder-values.ts';
import { coder } from './idl.ts';

const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex');

/**
 * `data` has the field names of the IDL: 64-bit integers as bigint, addresses as base58, bytes as
 * hex. (signature, instructionIndex, innerIndex) identifies an event permanently.
 */
export type ProgramEvent = {
  readonly name: string;
  readonly data: PlainRecord;
  readonly instructionIndex: number;
  readonly innerIndex: number;
};

function decodeEvent(instruction: InnerInstruction): { name: string; data: PlainRecord } | null {
  const payload = Buffer.from(instruction.data);
  if (!payload.subarray(0, EVENT_TAG.length).equals(EVENT_TAG)) return null;
  const body = payload.subarray(EVENT_TAG.length).toString('base64');
  // Null for an event of a newer program version.
  const decoded = coder.events.decode(body);
  return decoded === null ? null : { name: decoded.name, data: plainRecordOf(decoded.data) };
}

/** All events of a successful transaction, in order. */
export function decodeEvents(
  transaction: Pick<ChainTransaction, 'err' | 'innerInstructions'>,
  programId: string,
): readonly ProgramEvent[] {
  if (transaction.err !== null) return [];
  const events: ProgramEvent[] = [];
  for (const { index, instructions } of transaction.innerInstructions) {
    for (const [innerIndex, instruction] of instructions.entries()) {
      if (instruction.programId !== programId) continue;
      const event = decodeEvent(instruction);
      if (event !== null) events.push({ ...event, instructionIndex: index, innerIndex });
    }
  }
  return events;
}

/** A uuid as the 32 hex digits used in events and arguments. */
export function hexOfSpendId(spendId: string): string {
  const hex = spendId.replaceAll('-', '').toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(hex)) throw new TypeError('a spend id is a uuid');
  return hex;
}

/** The uuid behind 32 hex digits. */
export function spendIdOfHex(hex: string): string {
  const groups = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(hex);
  if (groups === null) throw new TypeError('a spend id has 16 bytes');
  return groups.slice(1).join('-');
}

/** The session of an event; null when it concerns none, or the owner moved money. */
export function sessionOfEvent({ data }: ProgramEvent): string | null {
  return 'session' in data && data['session'] !== null ? stringField(data, 'session') : null;
}

/** The spend of an event, as a uuid; null when no session spent. */
export function spendIdOfEvent(event: ProgramEvent): string | null {
  if (!('spend_id' in event.data) || sessionOfEvent(event) === null) return null;
  return spendIdOfHex(stringField(event.data, 'spend_id'));
}
