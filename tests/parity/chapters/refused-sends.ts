import { Buffer } from 'node:buffer';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  type Keypair,
  SystemProgram,
  TransactionMessage,
  type TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import type { Json } from '../symbols.ts';
import type { Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { callOf, pay, SOL, unknownInstruction } from './instructions.ts';

const WITH_PREFLIGHT = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
const WITHOUT_PREFLIGHT = { encoding: 'base64', skipPreflight: true } as const;
/** No chain has this blockhash. */
const UNKNOWN_BLOCKHASH = bs58.encode(Buffer.alloc(32, 7));
const PACKET_BYTES = 1_232;

/** Transactions that preflight, or the node before it, refuses. */
export const refusedSends: Chapter = {
  name: 'refused sends',
  play: async (talk) => {
    const payer = talk.key('refused payer');
    await talk.fund(payer.publicKey, 10 * SOL);
    await failedSimulations(talk, payer);
    await payersWithoutFunds(talk, payer);
    await wrongSignatures(talk, payer);
    await lookupTables(talk, payer);
    await wrongBytes(talk, payer);
  },
};

/** Sends the same bytes with preflight, simulates them, and sends them without preflight. */
async function tryAll(
  talk: Talk,
  what: string,
  draft: {
    payer: Keypair;
    others?: readonly Keypair[];
    instructions: TransactionInstruction[];
    blockhash?: string;
  },
): Promise<void> {
  const signed = await talk.sign({ name: what, ...draft });
  const step = `${what}, with preflight`;
  const sent = await talk.ask(step, 'sendTransaction', [signed.base64, WITH_PREFLIGHT]);
  // The simulation that follows must see it.
  if (isAccepted(sent)) await talk.landed(signed, 'confirmed');
  // On the newest state, where Surfnet always simulates.
  await talk.ask(`${what}, simulated`, 'simulateTransaction', [
    signed.base64,
    { encoding: 'base64', commitment: 'processed' },
  ]);
}

const isAccepted = (answer: Json): boolean =>
  typeof answer === 'object' && answer !== null && 'result' in answer;

async function failedSimulations(talk: Talk, payer: Keypair): Promise<void> {
  const self = payer.publicKey;
  const rich = talk.key('refused rich');
  await talk.fund(rich.publicKey, SOL);
  const cases: Readonly<Record<string, TransactionInstruction[]>> = {
    'an error of our program': [unknownInstruction()],
    'an error in the second instruction': [pay(self, self, 1), unknownInstruction()],
    'more SOL than the payer has': [pay(self, rich.publicKey, 100 * SOL)],
    'a program that does not exist': [callOf(talk.key('refused nowhere').publicKey)],
    'an account that is no program': [callOf(rich.publicKey)],
    'too small a compute budget': [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 200 }),
      pay(self, self, 1),
    ],
    'a compute budget that our program exhausts': [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 160 }),
      unknownInstruction(),
    ],
    'two limits': [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 2_000 }),
      ComputeBudgetProgram.setComputeUnitLimit({ units: 3_000 }),
    ],
    'a limit above the maximum': [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 2_000_000_000 }),
      pay(self, self, 1),
    ],
    'a payment that leaves the payee without rent': [
      pay(self, talk.key('refused tiny').publicKey, 1),
    ],
    'a payment to oneself, which lands': [pay(self, self, 1)],
    'an instruction that is no system instruction': [callOf(SystemProgram.programId)],
  };
  for (const [what, instructions] of Object.entries(cases)) {
    await tryAll(talk, what, { payer, instructions });
  }
  await tryAll(talk, 'an unknown blockhash', {
    payer,
    instructions: [pay(self, self, 1)],
    blockhash: UNKNOWN_BLOCKHASH,
  });
  const unsettled = await talk.sign({
    name: 'a blockhash that is not final',
    payer,
    instructions: [pay(self, self, 5)],
  });
  await talk.ask('a blockhash that is not final, with preflight at finalized', 'sendTransaction', [
    unsettled.base64,
    { encoding: 'base64' },
  ]);
  await talk.ask('a minimum slot in the future, with preflight', 'sendTransaction', [
    (await talk.sign({ name: 'too early', payer, instructions: [pay(self, self, 2)] })).base64,
    { ...WITH_PREFLIGHT, minContextSlot: 4_000_000_000 },
  ]);
}

async function payersWithoutFunds(talk: Talk, payer: Keypair): Promise<void> {
  const nobody = talk.key('refused nobody');
  await tryAll(talk, 'a payer that does not exist', {
    payer: nobody,
    instructions: [pay(nobody.publicKey, payer.publicKey, 1)],
  });
  const poor = talk.key('refused poor');
  await talk.fund(poor.publicKey, 890_880);
  await tryAll(talk, 'a payer that cannot pay the fee and keep its rent', {
    payer: poor,
    instructions: [pay(poor.publicKey, poor.publicKey, 1)],
  });
  const almost = talk.key('refused almost');
  await talk.fund(almost.publicKey, 890_880 + 5_000);
  await tryAll(talk, 'a payer that falls below its rent by the payment', {
    payer: almost,
    instructions: [pay(almost.publicKey, payer.publicKey, 1)],
  });
  await tryAll(talk, 'a payer that can pay the fee and nothing else', {
    payer: almost,
    instructions: [pay(almost.publicKey, almost.publicKey, 1)],
  });
}

async function wrongSignatures(talk: Talk, payer: Keypair): Promise<void> {
  const signed = await talk.sign({
    name: 'a good transfer',
    payer,
    instructions: [pay(payer.publicKey, payer.publicKey, 3)],
  });
  const forged = Buffer.from(signed.wire);
  forged.fill(9, 1, 65);
  const unsigned = Buffer.from(signed.wire);
  unsigned.fill(0, 1, 65);
  for (const [what, bytes] of [
    ['a forged signature', forged],
    ['no signature', unsigned],
  ] as const) {
    const base64 = bytes.toString('base64');
    await talk.ask(`${what}, with preflight`, 'sendTransaction', [base64, WITH_PREFLIGHT]);
    await talk.ask(`${what}, simulated with sigVerify`, 'simulateTransaction', [
      base64,
      { encoding: 'base64', commitment: 'confirmed', sigVerify: true },
    ]);
    await talk.ask(`${what}, simulated without sigVerify`, 'simulateTransaction', [
      base64,
      { encoding: 'base64', commitment: 'confirmed', sigVerify: false },
    ]);
  }
}

async function lookupTables(talk: Talk, payer: Keypair): Promise<void> {
  const { blockhash } = await talk.blockhash();
  const payee = talk.key('refused payee').publicKey;
  const table = new AddressLookupTableAccount({
    key: talk.key('refused table').publicKey,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: [payee],
    },
  });
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions: [pay(payer.publicKey, payee, SOL)],
  }).compileToV0Message([table]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([payer]);
  const base64 = Buffer.from(transaction.serialize()).toString('base64');
  await talk.ask('a lookup table that does not exist, with preflight', 'sendTransaction', [
    base64,
    WITH_PREFLIGHT,
  ]);
  await talk.ask('a lookup table that does not exist, simulated', 'simulateTransaction', [
    base64,
    { encoding: 'base64', commitment: 'confirmed' },
  ]);
}

/** Bytes that are no transaction, or one that the node cannot read. */
async function wrongBytes(talk: Talk, payer: Keypair): Promise<void> {
  const signed = await talk.sign({
    name: 'a transfer to spoil',
    payer,
    instructions: [pay(payer.publicKey, payer.publicKey, 4)],
  });
  const badIndex = Buffer.from(signed.wire);
  // The last instruction's program index: before the number of its accounts, the two accounts, the
  // number of its data bytes and the 12 bytes.
  badIndex[badIndex.length - 17] = 77;
  const cases = {
    'text that is not base64': ['***', WITH_PREFLIGHT],
    'an empty text': ['', WITH_PREFLIGHT],
    'half a transaction': [
      Buffer.from(signed.wire.subarray(0, 90)).toString('base64'),
      WITH_PREFLIGHT,
    ],
    'a transaction with bytes after its end': [
      Buffer.concat([signed.wire, Buffer.alloc(3)]).toString('base64'),
      WITHOUT_PREFLIGHT,
    ],
    'a program index out of range': [badIndex.toString('base64'), WITH_PREFLIGHT],
    'more bytes than a packet': [
      Buffer.alloc(PACKET_BYTES + 1, 1).toString('base64'),
      WITH_PREFLIGHT,
    ],
    'many more bytes than a packet': [Buffer.alloc(3_000, 1).toString('base64'), WITH_PREFLIGHT],
    'text that is not base58': ['O0Il', {}],
    'an encoding that does not exist': [signed.base64, { encoding: 'base32' }],
    'an encoding for reads alone': [signed.base64, { encoding: 'jsonParsed' }],
    'a commitment that does not exist': [
      signed.base64,
      { encoding: 'base64', preflightCommitment: 'certain' },
    ],
    'a number in place of the transaction': [5],
  } as const;
  for (const [what, params] of Object.entries(cases)) {
    await talk.ask(`${what}, sent`, 'sendTransaction', [...params]);
  }
  await talk.ask('text that is not base64, simulated', 'simulateTransaction', [
    '***',
    { encoding: 'base64' },
  ]);
  await talk.ask('half a transaction, simulated', 'simulateTransaction', [
    Buffer.from(signed.wire.subarray(0, 90)).toString('base64'),
    { encoding: 'base64' },
  ]);
  await talk.ask('a transaction in base58', 'sendTransaction', [
    bs58.encode(signed.wire),
    { preflightCommitment: 'confirmed' },
  ]);
  await talk.landed(signed, 'confirmed');
}
