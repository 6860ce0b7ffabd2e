import {
  ComputeBudgetProgram,
  type Keypair,
  SystemProgram,
  TransactionInstruction,
} from '@solana/web3.js';
import type { Signed, Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL, unknownInstruction } from './instructions.ts';

const READS = [
  ['json', { encoding: 'json', maxSupportedTransactionVersion: 0 }],
  ['jsonParsed', { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 }],
  ['base64', { encoding: 'base64', maxSupportedTransactionVersion: 0 }],
  ['base58', { encoding: 'base58', maxSupportedTransactionVersion: 0 }],
  ['no options', {}],
] as const;

/** Transactions that land, and what the chain shows of them at each level and in each encoding. */
export const landings: Chapter = {
  name: 'landings',
  play: async (talk) => {
    const acts = { transfer, versioned, failure, priority, accountsMadeAndClosed };
    // Each with keys of its own: balances must not depend on which lands first.
    await Promise.all(
      Object.entries(acts).map(async ([name, act]) => {
        const payer = talk.key(`payer of ${name}`);
        await talk.fund(payer.publicKey, 10 * SOL);
        await act(talk, payer, talk.key(`payee of ${name}`).publicKey);
        await talk.ask(`the balance of the payer of ${name}`, 'getBalance', [
          payer.publicKey.toBase58(),
          { commitment: 'processed' },
        ]);
      }),
    );
  },
};

async function transfer(talk: Talk, payer: Keypair, payee: Keypair['publicKey']): Promise<void> {
  const signed = await talk.sign({
    name: 'a transfer',
    payer,
    instructions: [pay(payer.publicKey, payee, 3 * SOL)],
  });
  await talk.ask('a transfer is sent with preflight', 'sendTransaction', [
    signed.base64,
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ]);
  await showLanding(talk, 'a transfer', signed);
  await talk.ask('a landed transfer is sent again, with preflight', 'sendTransaction', [
    signed.base64,
    { encoding: 'base64', preflightCommitment: 'confirmed' },
  ]);
  await talk.ask('a landed transfer is sent again, without preflight', 'sendTransaction', [
    signed.base64,
    { encoding: 'base64', skipPreflight: true },
  ]);
  await talk.ask('a landed transfer is simulated again', 'simulateTransaction', [
    signed.base64,
    { encoding: 'base64', commitment: 'confirmed' },
  ]);
}

async function versioned(talk: Talk, payer: Keypair, payee: Keypair['publicKey']): Promise<void> {
  const signed = await talk.sign({
    name: 'a versioned transfer',
    payer,
    instructions: [pay(payer.publicKey, payee, 2 * SOL)],
    version: 0,
  });
  await talk.send(signed);
  await showLanding(talk, 'a versioned transfer', signed);
}

async function failure(talk: Talk, payer: Keypair): Promise<void> {
  const signed = await talk.sign({
    name: 'a failure',
    payer,
    instructions: [unknownInstruction()],
  });
  await talk.ask('a failing transaction is sent without preflight', 'sendTransaction', [
    signed.base64,
    { encoding: 'base64', skipPreflight: true },
  ]);
  await showLanding(talk, 'a failure', signed);
}

async function priority(talk: Talk, payer: Keypair): Promise<void> {
  const signed = await talk.sign({
    name: 'a transfer with a priority fee',
    payer,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 1_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 7_000_001 }),
      pay(payer.publicKey, payer.publicKey, 1),
    ],
  });
  await talk.send(signed);
  await showLanding(talk, 'a transfer with a priority fee', signed);
}

async function accountsMadeAndClosed(talk: Talk, payer: Keypair): Promise<void> {
  const account = talk.key('landings account');
  const made = await talk.sign({
    name: 'a new account',
    payer,
    others: [account],
    instructions: [
      SystemProgram.createAccount({
        fromPubkey: payer.publicKey,
        newAccountPubkey: account.publicKey,
        lamports: SOL,
        space: 0,
        programId: SystemProgram.programId,
      }),
    ],
  });
  await talk.send(made);
  await talk.landed(made, 'confirmed');
  const closed = await talk.sign({
    name: 'a closed account',
    payer,
    others: [account],
    instructions: [
      pay(account.publicKey, payer.publicKey, SOL),
      new TransactionInstruction({
        programId: SystemProgram.programId,
        keys: [
          { pubkey: payer.publicKey, isSigner: true, isWritable: true },
          { pubkey: payer.publicKey, isSigner: true, isWritable: true },
        ],
        data: pay(payer.publicKey, payer.publicKey, 5).data,
      }),
    ],
  });
  await talk.send(closed);
  await talk.landed(closed, 'finalized');
  await talk.ask('an account without lamports', 'getAccountInfo', [
    account.publicKey.toBase58(),
    { encoding: 'base64' },
  ]);
}

async function showLanding(talk: Talk, what: string, signed: Signed): Promise<void> {
  await talk.landed(signed, 'confirmed');
  await talk.ask(`${what}, confirmed: status`, 'getSignatureStatuses', [[signed.signature]]);
  await talk.landed(signed, 'finalized');
  await talk.ask(`${what}, finalized: status`, 'getSignatureStatuses', [[signed.signature]]);
  await talk.ask(`${what}, finalized: status in the history`, 'getSignatureStatuses', [
    [signed.signature],
    { searchTransactionHistory: true },
  ]);
  for (const [encoding, options] of READS) {
    await talk.ask(`${what}, finalized: transaction, ${encoding}`, 'getTransaction', [
      signed.signature,
      options,
    ]);
  }
  await talk.ask(`${what}, finalized: transaction, encoding as text`, 'getTransaction', [
    signed.signature,
    'json',
  ]);
  await talk.ask(`${what}, finalized: transaction at processed`, 'getTransaction', [
    signed.signature,
    { commitment: 'processed', maxSupportedTransactionVersion: 0 },
  ]);
}
