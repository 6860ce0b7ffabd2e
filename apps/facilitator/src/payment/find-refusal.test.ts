import { buildSpendMessage, createWalletProgram, unsignedWire } from '@agent-wallet/chain';
import { createTransferCheckedInstruction } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { PaymentRequirements } from '@x402/core/types';
import { describe, expect, test } from 'vitest';
import { findRefusal } from './find-refusal.ts';

const program = createWalletProgram({
  programId: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  usdcMint: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
});
const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const LIMITS = { network: NETWORK, maxFeeLamports: 30_000n, minAmount: 100n };
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

const spend = {
  kind: 'transfer' as const,
  feePayer: newAddress(),
  sessionPubkey: newAddress(),
  vault: newAddress(),
  recipient: newAddress(),
  amount: 1_000n,
  spendSeq: 7n,
  sessionIndex: 0n,
  spendId: '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071',
  blockhash: newAddress(),
  computeUnitLimit: 100_000,
  computeUnitPrice: 50_000n,
  facilitated: { memo: 'order 17' },
};
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const walletPayment = (change: Partial<typeof spend> = {}): string =>
  base64(unsignedWire(buildSpendMessage(program, { ...spend, ...change })));

const requirements: PaymentRequirements = {
  scheme: 'exact',
  network: NETWORK,
  asset: program.usdcMint,
  amount: '1000',
  payTo: spend.recipient,
  maxTimeoutSeconds: 60,
  extra: { feePayer: spend.feePayer },
};

function refusalOf(transaction: unknown, change: Partial<PaymentRequirements> = {}): string | null {
  const wanted = { ...requirements, ...change };
  const payload = { x402Version: 2, accepted: wanted, payload: { transaction } };
  return findRefusal(program, LIMITS, payload, wanted);
}

const key = (address: string): PublicKey => new PublicKey(address);
const BUDGET = [
  ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }),
  ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
];
const payer = newAddress();
const plainTransfer = createTransferCheckedInstruction(
  key(newAddress()),
  key(program.usdcMint),
  key(newAddress()),
  key(payer),
  1_000n,
  6,
);

function transactionOf(instructions: readonly TransactionInstruction[]): string {
  const message = new TransactionMessage({
    payerKey: key(spend.feePayer),
    recentBlockhash: spend.blockhash,
    instructions: [...instructions],
  }).compileToV0Message();
  return base64(new VersionedTransaction(message).serialize());
}

describe('a facilitator lets through to the reference', () => {
  test('a payment of a wallet as its lane builds it', () => {
    expect(refusalOf(walletPayment())).toBeNull();
  });
  test('a payment of an ordinary wallet, whose rules the reference has', () => {
    expect(refusalOf(transactionOf([...BUDGET, plainTransfer]))).toBeNull();
  });
});

describe('a facilitator refuses a request for', () => {
  test.each<[string, string, Partial<PaymentRequirements>]>([
    ['another scheme', 'unsupported_scheme', { scheme: 'upto' }],
    ['another chain', 'invalid_network', { network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' }],
    ['another asset', 'unsupported_asset', { asset: newAddress() }],
    ['less than the minimum', 'amount_too_low: the minimum is 100', { amount: '99' }],
    ['more than the wallet pays', 'amount_mismatch', { amount: '1001' }],
    ['less than the wallet pays', 'amount_mismatch', { amount: '999' }],
    ['another payee', 'recipient_mismatch', { payTo: newAddress() }],
    ['another fee payer', 'fee_payer_mismatch', { extra: { feePayer: newAddress() } }],
    ['no fee payer', 'fee_payer_mismatch', { extra: {} }],
  ])('%s', (_case, reason, change) => {
    expect(refusalOf(walletPayment(), change)).toContain(reason);
  });
});

describe('a facilitator never signs', () => {
  const feePayer = key(spend.feePayer);
  const to = key(newAddress());
  test.each<[string, string, TransactionInstruction[]]>([
    [
      'away its own lamports',
      'fee_payer_not_isolated',
      [
        ...BUDGET,
        SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: to, lamports: 1 }),
        plainTransfer,
      ],
    ],
    [
      'an instruction that only reads its fee payer',
      'fee_payer_not_isolated',
      [
        ...BUDGET,
        new TransactionInstruction({
          programId: to,
          keys: [{ pubkey: feePayer, isSigner: false, isWritable: false }],
        }),
      ],
    ],
    ['without a compute budget', 'compute_budget_missing', [plainTransfer]],
    ['with the compute budget elsewhere', 'compute_budget_missing', [plainTransfer, ...BUDGET]],
    [
      'for three signers',
      'excessive_signers',
      [
        ...BUDGET,
        new TransactionInstruction({
          programId: to,
          keys: [payer, newAddress()].map((address) => ({
            pubkey: key(address),
            isSigner: true,
            isWritable: false,
          })),
        }),
      ],
    ],
    [
      'another call of the wallet’s program',
      'wallet_instructions',
      [...BUDGET, new TransactionInstruction({ programId: key(program.programId), keys: [] })],
    ],
  ])('%s', (_case, reason, instructions) => {
    expect(refusalOf(transactionOf(instructions))).toContain(reason);
  });

  test('a fee above the maximum, to the lamport', () => {
    // Two signatures and 20 000 lamports of priority.
    expect(refusalOf(walletPayment({ computeUnitLimit: 400_000 }))).toBeNull();
    const above = refusalOf(walletPayment({ computeUnitLimit: 400_001 }));
    expect(above).toContain('fee_too_high: 30001 lamports, the maximum is 30000');
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no text', 7],
    ['no base64', 'not base64!'],
    ['base64 with something behind it', `${walletPayment()}=`],
    ['no transaction', base64(Buffer.alloc(64))],
    ['more than a packet', base64(Buffer.alloc(1_233))],
  ])('%s', (_case, transaction) => {
    expect(refusalOf(transaction)).toContain('transaction_could_not_be_decoded');
  });
});
