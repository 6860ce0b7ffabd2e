import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';

import idl from '../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { compileMessage } from '../build/compile-message.ts';
import { createWalletProgram } from '../program/program.ts';
import { SANDBOX_RESERVE } from '../reserve/known-reserves.ts';
import type { Holdings } from './holdings.ts';
import { type LeaveStep, planLeaving } from './plan-leaving.ts';
import { stepInstructions } from './step-instructions.ts';

const DEADLINE = 1_900_000_000n;
const PACKET_BYTES = 1_232;
/** The count of signatures, and the owner's. */
const SIGNATURE_BYTES = 1 + 64;

const anyAddress = (): string => Keypair.generate().publicKey.toBase58();
const owner = anyAddress();
const program = createWalletProgram({ programId: idl.address, usdcMint: anyAddress() });
const vault = program.addresses.vaultPda(owner);
const account = {
  address: anyAddress(),
  authority: 'vault',
  role: 'other',
  mint: anyAddress(),
  tokenProgram: anyAddress(),
  amount: 1n,
  isClosable: true,
} as const;
const collateral = {
  ...account,
  address: program.addresses.ata(program.addresses.yieldPda(vault), SANDBOX_RESERVE.collateralMint),
  authority: 'yield',
  role: 'collateral',
} as const;
/** Everything at once, so that each step has all of its instructions. */
const holdings: Holdings = {
  vault: {
    owner,
    maxDeployedFractionBp: 0,
    deployedAmount: 1n,
    paused: false,
    nextSessionIndex: 25n,
    openSessions: null,
    vaultTokenAccount: program.addresses.usdcAta(vault),
  },
  sessions: Array.from({ length: 25 }, (_, index) => ({
    sessionPda: anyAddress(),
    sessionIndex: BigInt(index),
  })),
  liquid: 1n,
  tokenAccounts: [account, collateral],
  payableCollateral: 1n,
  spareLamports: 1n,
  yieldLamports: 1n,
};
const { steps } = planLeaving(holdings, { inKind: false, failed: [] });

test.each<LeaveStep>([...steps, { kind: 'sweep_lamports' }])(
  'the step $kind fits into one transaction that the owner alone signs',
  (step) => {
    const instructions = stepInstructions(program, SANDBOX_RESERVE, holdings, step, DEADLINE);
    const blockhash = anyAddress();
    const message = compileMessage({ payer: owner, blockhash, instructions });
    expect(SIGNATURE_BYTES + message.length).toBeLessThanOrEqual(PACKET_BYTES);
    const [signers] = message;
    expect(signers).toBe(1);
  },
);

test.each<[LeaveStep['kind'], bigint]>([
  ['redeem', DEADLINE],
  ['sweep', DEADLINE],
  ['close', holdings.vault.nextSessionIndex],
])('a signature for the step %s ends with %s', (kind, bound) => {
  const ends = steps
    .filter((step) => step.kind === kind)
    .map((step) => stepInstructions(program, SANDBOX_RESERVE, holdings, step, DEADLINE).at(-1))
    .map((last) => last?.data.readBigInt64LE(last.data.length - 8));
  expect(new Set(ends)).toEqual(new Set([bound]));
});

test('the plan of these holdings has each kind of step', () => {
  const kinds = new Set(steps.map(({ kind }) => kind));
  expect([...kinds]).toEqual([
    'pause',
    'migrate',
    'revoke',
    'redeem',
    'withdraw',
    'sweep',
    'close',
  ]);
});
