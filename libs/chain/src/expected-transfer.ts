/**
 * What a transfer must look like in bytes, written down a second time and without the IDL coder:
 * the signer compares against this, so that a mistake in the builder cannot sign itself through.
 */

import { createHash } from 'node:crypto';

import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { ComputeBudgetProgram } from '@solana/web3.js';

import { hexOfSpendId } from './events.ts';
import type { WalletProgram } from './program.ts';
import type { SpendIntent } from './spend-message.ts';

type ExpectedAccount = {
  readonly address: string;
  readonly signer: boolean;
  readonly writable: boolean;
};

type ExpectedInstruction = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
};

export type ExpectedTransfer = {
  /** Every account of the message, in no order, each once. */
  readonly accounts: readonly ExpectedAccount[];
  readonly instructions: readonly ExpectedInstruction[];
};

const COMPUTE_BUDGET = ComputeBudgetProgram.programId.toBase58();
const TOKEN_PROGRAM = TOKEN_PROGRAM_ID.toBase58();
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const TRANSFER_DISCRIMINATOR = createHash('sha256')
  .update('global:transfer_usdc')
  .digest()
  .subarray(0, 8);

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function computeBudgetData(intent: SpendIntent): { limit: Buffer; price: Buffer } {
  const limit = Buffer.alloc(5);
  limit.writeUInt8(SET_COMPUTE_UNIT_LIMIT, 0);
  limit.writeUInt32LE(intent.computeUnitLimit, 1);
  const price = Buffer.concat([
    Buffer.from([SET_COMPUTE_UNIT_PRICE]),
    u64(intent.computeUnitPrice),
  ]);
  return { limit, price };
}

function transferData(intent: SpendIntent): Buffer {
  return Buffer.concat([
    TRANSFER_DISCRIMINATOR,
    u64(intent.amount),
    u64(intent.spendSeq),
    u64(intent.sessionIndex),
    Buffer.from(hexOfSpendId(intent.spendId), 'hex'),
  ]);
}

/** A message lists an account once, with every right that any of its uses needs. */
function merged(accounts: readonly ExpectedAccount[]): readonly ExpectedAccount[] {
  const byAddress = new Map<string, ExpectedAccount>();
  for (const account of accounts) {
    const known = byAddress.get(account.address);
    byAddress.set(account.address, {
      address: account.address,
      signer: account.signer || known?.signer === true,
      writable: account.writable || known?.writable === true,
    });
  }
  return [...byAddress.values()];
}

/** The accounts and instructions that do exactly what `intent` says, and nothing else. */
export function expectedTransfer(program: WalletProgram, intent: SpendIntent): ExpectedTransfer {
  const { programId, usdcMint, addresses } = program;
  const session = addresses.sessionPda(intent.vault, intent.sessionPubkey);
  const vaultAta = addresses.usdcAta(intent.vault);
  const recipientAta = addresses.usdcAta(intent.recipient);
  const { limit, price } = computeBudgetData(intent);
  const readonly = [
    intent.vault,
    intent.recipient,
    usdcMint,
    TOKEN_PROGRAM,
    addresses.eventAuthority,
    programId,
    COMPUTE_BUDGET,
  ];
  return {
    accounts: merged([
      { address: intent.feePayer, signer: true, writable: true },
      { address: intent.sessionPubkey, signer: true, writable: false },
      ...[session, vaultAta, recipientAta].map((address) => ({
        address,
        signer: false,
        writable: true,
      })),
      ...readonly.map((address) => ({ address, signer: false, writable: false })),
    ]),
    instructions: [
      { program: COMPUTE_BUDGET, accounts: [], data: limit },
      { program: COMPUTE_BUDGET, accounts: [], data: price },
      {
        program: programId,
        accounts: [
          intent.sessionPubkey,
          intent.vault,
          session,
          vaultAta,
          intent.recipient,
          recipientAta,
          usdcMint,
          TOKEN_PROGRAM,
          addresses.eventAuthority,
          programId,
        ],
        data: transferData(intent),
      },
    ],
  };
}
