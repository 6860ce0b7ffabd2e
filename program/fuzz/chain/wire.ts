import { argumentKey, type Args, type Call, definitionOf, type Meta } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';

/** Signers and writable accounts, which a message fixes for all its instructions. */
export type Flags = {
  readonly signer: (id: Id) => boolean;
  readonly writable: (id: Id) => boolean;
  readonly signatures: number;
};

const SIGNATURE_BYTES = 64;
const BLOCKHASH = Buffer.alloc(32);

/** The flags of a message with these calls. */
export function flagsOf(calls: readonly Call[], universe: Universe): Flags {
  const metas = calls.flatMap((call) => call.metas);
  const signers = new Set(metas.filter(({ signer }) => signer).map(({ id }) => id));
  signers.add(universe.payer);
  const writables = new Set(metas.filter(({ writable }) => writable).map(({ id }) => id));
  writables.add(universe.payer);
  const called = new Set(calls.map((call) => programOf(call, universe)));
  const { system, instructionsSysvar, clockSysvar } = universe.fixed;
  const never = new Set([...called, system, instructionsSysvar, clockSysvar]);
  return {
    signer: (id) => signers.has(id),
    // The runtime clears the flag of called programs and of its own accounts.
    writable: (id) => writables.has(id) && !never.has(id),
    signatures: signers.size,
  };
}

/** Bytes of a transaction with a legacy message; its signatures are not verified. */
export function encodeTransaction(calls: readonly Call[], universe: Universe): Uint8Array {
  const metas = calls.flatMap((call) => call.metas);
  const idsWhere = (flag: (meta: Meta) => boolean): Set<Id> =>
    new Set([universe.payer, ...metas.filter(flag).map(({ id }) => id)]);
  const [signing, writable] = [idsWhere((one) => one.signer), idsWhere((one) => one.writable)];
  const all = idsWhere(() => true);
  for (const call of calls) all.add(programOf(call, universe));
  const group = (signs: boolean, isWritable: boolean): readonly Id[] =>
    [...all].filter((id) => signing.has(id) === signs && writable.has(id) === isWritable);
  const readonlySigners = group(true, false);
  const readonlyOthers = group(false, false);
  const signers = [...group(true, true), ...readonlySigners];
  const keys = [...signers, ...group(false, true), ...readonlyOthers];
  const place = new Map(keys.map((id, index) => [id, index]));
  const instructions = calls.map((call) => {
    const data = encodeData(call, universe);
    const program = place.get(programOf(call, universe)) ?? 0;
    const accounts = call.metas.map(({ id }) => place.get(id) ?? 0);
    return Buffer.concat([
      Buffer.from([program, accounts.length, ...accounts]),
      compactLength(data.length),
      data,
    ]);
  });
  return Buffer.concat([
    Buffer.from([signers.length]),
    Buffer.alloc(SIGNATURE_BYTES * signers.length, 1),
    Buffer.from([signers.length, readonlySigners.length, readonlyOthers.length, keys.length]),
    ...keys.map((id) => addressOf(id, universe)),
    BLOCKHASH,
    Buffer.from([calls.length]),
    ...instructions,
  ]);
}

export function programOf(call: Call, { fixed }: Universe): Id {
  if (call.program === 'system') return fixed.system;
  if (call.program === 'token') return fixed.tokenProgram;
  return call.program === 'wallet' ? fixed.program : fixed.reserveProgram;
}

function encodeData(call: Call, universe: Universe): Buffer {
  if (call.program === 'system') {
    const data = Buffer.alloc(12);
    data.writeUInt32LE(2);
    data.writeBigUInt64LE(call.args.amount, 4);
    return data;
  }
  if (call.program === 'token') {
    const data = Buffer.alloc(9, 3);
    data.writeBigUInt64LE(call.args.amount, 1);
    return data;
  }
  const definition = definitionOf(call);
  const parts = definition.args.map((arg) => encodeArgument(call.args, arg, universe));
  const data = Buffer.concat([Buffer.from(definition.discriminator), ...parts]);
  if (call.bytes === 'cut') return data.subarray(0, -1);
  if (call.bytes === 'longer') return Buffer.concat([data, Buffer.from([0])]);
  if (call.bytes === 'unknown instruction') data.writeUInt8(data.readUInt8(0) ^ 0xff, 0);
  return data;
}

function encodeArgument(
  args: Args,
  { name, type }: { readonly name: string; readonly type: unknown },
  universe: Universe,
): Buffer {
  // Names a spend; the program does not check it.
  if (name === 'spend_id') return Buffer.alloc(16, 7);
  if (name === 'session_pubkey') return addressOf(args.session_pubkey, universe);
  if (name === 'recipients') {
    const count = Buffer.alloc(4);
    count.writeUInt32LE(args.recipients.length);
    return Buffer.concat([count, ...args.recipients.map((id) => addressOf(id, universe))]);
  }
  const value: unknown = new Map<string, unknown>(Object.entries(args)).get(argumentKey(name));
  if (typeof value === 'boolean') return Buffer.from([Number(value)]);
  if (type === 'u8' && typeof value === 'number') return Buffer.from([value]);
  const bytes = Buffer.alloc(type === 'u16' ? 2 : 8);
  if (typeof value === 'number') bytes.writeUInt16LE(value);
  else if (typeof value !== 'bigint') throw new TypeError(`no value for ${name}`);
  else if (type === 'i64') bytes.writeBigInt64LE(value);
  else bytes.writeBigUInt64LE(value);
  return bytes;
}

function addressOf(id: Id, { addresses }: Universe): Buffer {
  return Buffer.from(addresses[id] ?? []);
}

/** Solana's compact length of a list: seven bits per byte. */
function compactLength(length: number): Buffer {
  return Buffer.from(length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7]);
}
