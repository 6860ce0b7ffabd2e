/**
 * Reads the payments of our wallets that a facilitator is to send. A facilitator signs as the fee
 * payer, so it must know that the bytes do one thing only.
 */

import { isAppError } from '@agent-wallet/errors';
import { Message } from '@solana/web3.js';
import bs58 from 'bs58';

import { spendIdOfHex } from '../program/events.ts';
import { discriminatorOf } from './expected-instruction.ts';
import { proveMessage } from './semantic-signer.ts';
import { legacyPartOf, type SpendIntent } from '../build/spend-message.ts';
import type { WalletProgram } from '../program/program.ts';

/** Addresses in base58, amount in base units of USDC, price in micro-lamports per compute unit. */
export type FacilitatedSpend = Extract<SpendIntent, { readonly kind: 'transfer' }> & {
  readonly facilitated: { readonly memo: string };
};

const TRANSFER = discriminatorOf('transfer_usdc');
/** Of the arguments, behind the discriminator. */
const AMOUNT_AT = 8;
const SEQ_AT = 16;
const SESSION_INDEX_AT = 24;
const SPEND_ID_AT = 32;
const SPEND_ID_END = 48;
/** Of the accounts of a transfer. */
const SESSION_KEY = 0;
const VAULT = 1;
const RECIPIENT = 4;

/**
 * The payment in a message of version 0 that consists of exactly a compute unit limit, a price, a
 * transfer of this program, and a memo, with the fee payer in no instruction. Null for every other
 * message. Signatures are not checked here.
 */
export function readFacilitatedSpend(
  program: WalletProgram,
  messageBytes: Uint8Array,
): FacilitatedSpend | null {
  const claimed = claimOf(messageBytes);
  if (claimed === null) return null;
  try {
    proveMessage(program, claimed, messageBytes);
    return claimed;
  } catch (error) {
    if (isAppError(error, 'SIGNER_MISMATCH')) return null;
    throw error;
  }
}

/** What the bytes say at the places of a payment; whether they say no more is proven afterwards. */
function claimOf(messageBytes: Uint8Array): FacilitatedSpend | null {
  const bytes = legacyPartOf(Buffer.from(messageBytes), PAYMENT);
  if (bytes === null) return null;
  let message: Message;
  try {
    message = Message.from(bytes);
  } catch {
    return null;
  }
  const [limit, price, transfer, memo] = message.instructions.map((instruction) => ({
    data: Buffer.from(bs58.decode(instruction.data)),
    addressAt: (place: number) =>
      message.accountKeys[instruction.accounts[place] ?? -1]?.toBase58(),
  }));
  if (limit?.data.length !== 5 || price?.data.length !== 9) return null;
  if (transfer === undefined || memo === undefined) return null;
  const { data, addressAt } = transfer;
  if (data.length < SPEND_ID_END || !data.subarray(0, AMOUNT_AT).equals(TRANSFER)) return null;
  const [feePayer] = message.accountKeys;
  const [vault, sessionPubkey] = [addressAt(VAULT), addressAt(SESSION_KEY)];
  const recipient = addressAt(RECIPIENT);
  if (feePayer === undefined || vault === undefined) return null;
  if (sessionPubkey === undefined || recipient === undefined) return null;
  return {
    kind: 'transfer',
    feePayer: feePayer.toBase58(),
    blockhash: message.recentBlockhash,
    computeUnitLimit: limit.data.readUInt32LE(1),
    computeUnitPrice: price.data.readBigUInt64LE(1),
    vault,
    sessionPubkey,
    recipient,
    amount: data.readBigUInt64LE(AMOUNT_AT),
    spendSeq: data.readBigUInt64LE(SEQ_AT),
    sessionIndex: data.readBigUInt64LE(SESSION_INDEX_AT),
    spendId: spendIdOfHex(data.subarray(SPEND_ID_AT, SPEND_ID_END).toString('hex')),
    facilitated: { memo: memo.data.toString('utf8') },
  };
}

const PAYMENT = { facilitated: { memo: '' } };
