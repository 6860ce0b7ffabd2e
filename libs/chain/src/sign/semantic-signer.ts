/**
 * Signs a spend only after it has decoded the bytes again and found that they do exactly what the
 * row says. No other code here has a spend signed.
 */

import { AppError } from '@agent-wallet/errors';
import type { Signer } from '@agent-wallet/signer';
import { Message } from '@solana/web3.js';
import bs58 from 'bs58';

import { expectedSpend, type ExpectedSpend } from './expected-spend.ts';
import { addressOfBytes } from '../program/addresses.ts';
import type { WalletProgram } from '../program/program.ts';
import { legacyPartOf, type SpendIntent } from '../build/spend-message.ts';

export type SignedSpend = { readonly wire: Uint8Array; readonly signature: string };

export type SignRequest = {
  readonly intent: SpendIntent;
  readonly messageBytes: Uint8Array;
  readonly sessionKey: Signer;
  readonly feePayer: Signer;
};

export type PartialSignRequest = Omit<SignRequest, 'feePayer'>;

const SIGNATURE_BYTES = 64;

function mismatch(field: string): AppError {
  return new AppError('SIGNER_MISMATCH', { field });
}

/** Throws here, so that the checks below read as a list. */
function demand(condition: boolean, field: string): void {
  if (!condition) throw mismatch(field);
}

function decodeMessage(messageBytes: Uint8Array, intent: SpendIntent): Message {
  const bytes = legacyPartOf(Buffer.from(messageBytes), intent);
  if (bytes === null) throw mismatch('version');
  let message: Message;
  try {
    message = Message.from(bytes);
  } catch (error) {
    throw new AppError('SIGNER_MISMATCH', { field: 'encoding' }, { cause: error });
  }
  // Only the canonical encoding: the bytes contain nothing beyond what was decoded.
  demand(message.serialize().equals(bytes), 'encoding');
  return message;
}

function checkAccounts(
  message: Message,
  keys: readonly string[],
  expected: ExpectedSpend,
  intent: SpendIntent,
): void {
  demand(keys[0] === intent.feePayer, 'feePayer');
  demand(message.header.numRequiredSignatures === 2, 'signatures');
  demand(keys.length === expected.accounts.length, 'accounts');
  for (const { address, signer, writable } of expected.accounts) {
    const index = keys.indexOf(address);
    demand(index !== -1, 'accounts');
    demand(message.isAccountSigner(index) === signer, 'flags');
    demand(message.isAccountWritable(index) === writable, 'flags');
  }
}

function checkInstructions(
  message: Message,
  keys: readonly string[],
  expected: ExpectedSpend,
): void {
  demand(message.instructions.length === expected.instructions.length, 'instructions');
  for (const [index, wanted] of expected.instructions.entries()) {
    const found = message.instructions[index];
    if (found === undefined) throw mismatch('instructions');
    demand(keys[found.programIdIndex] === wanted.program, 'program');
    demand(wanted.data.equals(bs58.decode(found.data)), 'arguments');
    demand(found.accounts.length === wanted.accounts.length, 'instructionAccounts');
    for (const [position, { address }] of wanted.accounts.entries()) {
      demand(keys[found.accounts[position] ?? -1] === address, 'instructionAccounts');
    }
    // Possible when the fee payer is also the recipient: it would sign there.
    demand(!found.accounts.includes(0), 'feePayerInInstruction');
  }
}

/** Throws SIGNER_MISMATCH unless the bytes do exactly what the intent says. */
function prove(program: WalletProgram, request: PartialSignRequest): Uint8Array {
  const { intent, messageBytes, sessionKey } = request;
  demand(sessionKey.address === intent.sessionPubkey, 'sessionKey');
  const bytes = Uint8Array.from(messageBytes);
  proveMessage(program, intent, bytes);
  return bytes;
}

/** Throws SIGNER_MISMATCH with the first `field` in which the message differs from the intent. */
export function proveMessage(
  program: WalletProgram,
  intent: SpendIntent,
  messageBytes: Uint8Array,
): void {
  const message = decodeMessage(messageBytes, intent);
  const expected = expectedSpend(program, intent);
  demand(message.recentBlockhash === intent.blockhash, 'blockhash');
  const keys = message.accountKeys.map((key) => addressOfBytes(key.toBytes()));
  checkAccounts(message, keys, expected, intent);
  checkInstructions(message, keys, expected);
}

function wireOf(signatures: readonly Uint8Array[], messageBytes: Uint8Array): Uint8Array {
  const count = Buffer.from([signatures.length]);
  return Uint8Array.from(Buffer.concat([count, ...signatures, messageBytes]));
}

/**
 * Verifies and signs. Throws SIGNER_MISMATCH with the first `field` that differs, and then signs
 * nothing; throws as the signers do. Returns the whole transaction and its signature, which is the
 * fee payer's.
 */
export async function signSpend(
  program: WalletProgram,
  request: SignRequest,
): Promise<SignedSpend> {
  const { intent, sessionKey, feePayer } = request;
  demand(intent.facilitated === undefined, 'facilitated');
  demand(feePayer.address === intent.feePayer, 'feePayer');
  const bytes = prove(program, request);
  const [payerSignature, sessionSignature] = await Promise.all([
    feePayer.sign(bytes),
    sessionKey.sign(bytes),
  ]);
  const wire = wireOf([payerSignature, sessionSignature], bytes);
  return { wire, signature: bs58.encode(payerSignature) };
}

/**
 * Verifies a transaction that a facilitator sends, and signs it with the session key alone. Returns
 * the whole transaction with zeros in place of the facilitator's signature. Throws like {@link
 * signSpend}.
 */
export async function signForFacilitator(
  program: WalletProgram,
  request: PartialSignRequest,
): Promise<Uint8Array> {
  demand(request.intent.facilitated !== undefined, 'facilitated');
  const bytes = prove(program, request);
  return wireOf([Buffer.alloc(SIGNATURE_BYTES), await request.sessionKey.sign(bytes)], bytes);
}
