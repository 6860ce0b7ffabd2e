/**
 * Signs a spend only after reading the bytes anew and finding that they do exactly what the row
 * says. A session key is opened for this call only; nothing else here signs.
 */

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';

import { AppError } from '@agent-wallet/errors';
import { Message } from '@solana/web3.js';
import type { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';

import { expectedSpend } from './expected-spend.ts';
import type { ExpectedSpend } from './expected-spend.ts';
import type { WalletProgram } from './program.ts';
import type { SpendIntent } from './spend-message.ts';

export type SignedSpend = { readonly wire: Uint8Array; readonly signature: string };

export type SignRequest = {
  readonly intent: SpendIntent;
  readonly messageBytes: Uint8Array;
  readonly sessionKey: Keypair;
  readonly feePayer: Keypair;
};

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');

function mismatch(field: string): AppError {
  return new AppError('SIGNER_MISMATCH', { field });
}

/** Ifs up here, so that the checks below read as a list. */
function demand(condition: boolean, field: string): void {
  if (!condition) throw mismatch(field);
}

function decodeMessage(messageBytes: Uint8Array): Message {
  const bytes = Buffer.from(messageBytes);
  // A set high bit marks a versioned message, which can pull in accounts from elsewhere.
  demand(bytes.length > 0 && (bytes[0] ?? 0x80) < 0x80, 'version');
  let message: Message;
  try {
    message = Message.from(bytes);
  } catch (error) {
    throw new AppError('SIGNER_MISMATCH', { field: 'encoding' }, { cause: error });
  }
  // One encoding only: what was read is all that the bytes hold.
  demand(message.serialize().equals(bytes), 'encoding');
  return message;
}

function checkAccounts(message: Message, expected: ExpectedSpend, intent: SpendIntent): void {
  const keys = message.accountKeys.map((key) => key.toBase58());
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

function checkInstructions(message: Message, expected: ExpectedSpend): void {
  demand(message.instructions.length === expected.instructions.length, 'instructions');
  for (const [index, wanted] of expected.instructions.entries()) {
    const found = message.instructions[index];
    if (found === undefined) throw mismatch('instructions');
    const keyOf = (position: number): string => message.accountKeys[position]?.toBase58() ?? '';
    demand(keyOf(found.programIdIndex) === wanted.program, 'program');
    demand(wanted.data.equals(bs58.decode(found.data)), 'arguments');
    demand(found.accounts.length === wanted.accounts.length, 'instructionAccounts');
    for (const [position, { address }] of wanted.accounts.entries()) {
      demand(keyOf(found.accounts[position] ?? -1) === address, 'instructionAccounts');
    }
    // Reachable when the fee payer itself is to be paid: it would be a signer there.
    demand(!found.accounts.includes(0), 'feePayerInInstruction');
  }
}

function signBytes(keypair: Keypair, bytes: Uint8Array): Buffer {
  const seed = keypair.secretKey.subarray(0, 32);
  const der = Buffer.concat([PKCS8_ED25519, seed]);
  const signature = sign(null, bytes, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  der.fill(0);
  const spki = Buffer.concat([SPKI_ED25519, keypair.publicKey.toBytes()]);
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  // A secret that does not belong to its public key would be sent and silently refused.
  demand(verify(null, bytes, publicKey, signature), 'key');
  return signature;
}

/**
 * Proves and signs. Throws SIGNER_MISMATCH with the first `field` that differs; nothing is signed
 * then. The answer is the whole transaction and its signature, which is the fee payer's.
 */
export function signSpend(program: WalletProgram, request: SignRequest): SignedSpend {
  const { intent, messageBytes, sessionKey, feePayer } = request;
  demand(feePayer.publicKey.toBase58() === intent.feePayer, 'feePayer');
  demand(sessionKey.publicKey.toBase58() === intent.sessionPubkey, 'sessionKey');
  const bytes = Uint8Array.from(messageBytes);
  const message = decodeMessage(bytes);
  const expected = expectedSpend(program, intent);
  demand(message.recentBlockhash === intent.blockhash, 'blockhash');
  checkAccounts(message, expected, intent);
  checkInstructions(message, expected);
  const payerSignature = signBytes(feePayer, bytes);
  const signatures = Buffer.concat([payerSignature, signBytes(sessionKey, bytes)]);
  const wire = Uint8Array.from(Buffer.concat([Buffer.from([2]), signatures, bytes]));
  return { wire, signature: bs58.encode(payerSignature) };
}
