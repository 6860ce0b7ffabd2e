/**
 * Instructions with names and fields, as nodes show them in `jsonParsed`: those that move money,
 * and memos. Others are shown as a node shows a program that it does not know.
 */

import bs58 from 'bs58';
import { isTokenProgram, uiTokenAmount } from '../../engine/accounts/token-balances.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const SYSTEM_TRANSFER = 2;
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;

/** An instruction with the addresses of its accounts. */
export type ResolvedInstruction = {
  readonly programId: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
  readonly stackHeight: number;
};

export function instructionJson(instruction: ResolvedInstruction): object {
  const { programId, accounts, data, stackHeight } = instruction;
  const parsed = parsedInstruction(instruction);
  if (parsed === null) return { programId, accounts, data: bs58.encode(data), stackHeight };
  return { ...parsed, programId, stackHeight };
}

function parsedInstruction(instruction: ResolvedInstruction): object | null {
  const { programId, data } = instruction;
  if (programId === MEMO)
    return { program: 'spl-memo', parsed: Buffer.from(data).toString('utf8') };
  if (programId === SYSTEM_PROGRAM) return systemInstruction(instruction);
  if (!isTokenProgram(programId)) return null;
  const parsed = tokenInstruction(instruction);
  const program = programId === TOKEN_2022 ? 'spl-token-2022' : 'spl-token';
  return parsed === null ? null : { program, parsed };
}

function systemInstruction({ accounts, data }: ResolvedInstruction): object | null {
  const view = viewOf(data);
  if (data.length !== 12 || view.getUint32(0, true) !== SYSTEM_TRANSFER) return null;
  const [source, destination] = accounts;
  const info = { source, destination, lamports: Number(view.getBigUint64(4, true)) };
  return { program: 'system', parsed: { type: 'transfer', info } };
}

function tokenInstruction({ accounts, data }: ResolvedInstruction): object | null {
  if (data[0] === TOKEN_TRANSFER && data.length === 9) {
    const [source, destination, ...authorities] = accounts;
    const amount = viewOf(data).getBigUint64(1, true).toString();
    return { type: 'transfer', info: { source, destination, amount, ...authority(authorities) } };
  }
  if (data[0] === TOKEN_TRANSFER_CHECKED && data.length === 10) {
    const [source, mint, destination, ...authorities] = accounts;
    const tokenAmount = uiTokenAmount(viewOf(data).getBigUint64(1, true), data[9] ?? 0);
    const info = { source, mint, destination, tokenAmount, ...authority(authorities) };
    return { type: 'transferChecked', info };
  }
  return null;
}

/** Signers behind the authority are those of a multisig. */
function authority([first, ...signers]: readonly string[]): object {
  return signers.length === 0 ? { authority: first } : { multisigAuthority: first, signers };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
