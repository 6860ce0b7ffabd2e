import { ComputeBudgetProgram, Keypair, TransactionInstruction } from '@solana/web3.js';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSteppedChain, SOL, type SteppedChain } from '../../../fixtures/stepped-chain.ts';

const FEE = 5_000;
/** Blocks for which a blockhash is valid. */
const VALID = 150;

let chain: SteppedChain;

beforeEach(() => {
  chain = createSteppedChain();
});

const preflightError = (err: unknown) =>
  expect.objectContaining({ code: -32_002, data: expect.objectContaining({ err }) });

describe('blockhashes', () => {
  test.each([
    { blocks: VALID, lands: true },
    { blocks: VALID + 1, lands: false },
  ])('$blocks blocks after its blockhash a transaction lands: $lands', ({ blocks, lands }) => {
    const blockhash = chain.engine.blockhash('processed').bytes;
    const to = Keypair.generate();
    const wire = chain.wireOf([chain.pay(to.publicKey, SOL)], { blockhash });
    chain.advance(blocks);
    expect(chain.engine.isBlockhashValid(blockhash, 'processed')).toBe(lands);
    chain.send(wire, { skipPreflight: true });
    expect(chain.balance(to, 'processed')).toBe(lands ? SOL : 0);
  });

  test('preflight refuses a blockhash that is too old', () => {
    const blockhash = chain.engine.blockhash('processed').bytes;
    const wire = chain.wireOf([chain.pay(Keypair.generate().publicKey, SOL)], { blockhash });
    chain.advance(VALID + 1);
    expect(chain.refusal(wire, { preflightCommitment: 'processed' })).toEqual(
      preflightError('BlockhashNotFound'),
    );
  });

  test('the reply names the last block that takes the blockhash', () => {
    const height = chain.engine.height('confirmed');
    const value = chain.valueOf('getLatestBlockhash', { commitment: 'confirmed' });
    expect(value).toMatchObject({ lastValidBlockHeight: height + VALID });
  });

  test('preflight does not know a blockhash that is newer than its state', () => {
    const { bytes: blockhash } = chain.engine.blockhash('processed');
    const wire = chain.wireOf([chain.pay(Keypair.generate().publicKey, SOL)], { blockhash });
    expect(chain.refusal(wire, { preflightCommitment: 'confirmed' })).toEqual(
      preflightError('BlockhashNotFound'),
    );
    chain.advance(1);
    expect(chain.send(wire, { preflightCommitment: 'confirmed' })).toEqual(expect.any(String));
  });

  test('a transaction lands once, as long as its blockhash is valid', () => {
    const to = Keypair.generate();
    const { bytes: blockhash } = chain.engine.blockhash('processed');
    const wire = chain.wireOf([chain.pay(to.publicKey, SOL)], { blockhash });
    const options = { preflightCommitment: 'processed' };
    const signature = chain.send(wire, options);
    for (const slots of [0, VALID]) {
      chain.advance(slots);
      expect(chain.refusal(wire, options)).toEqual(preflightError('AlreadyProcessed'));
      expect(chain.send(wire, { skipPreflight: true })).toBe(signature);
    }
    expect(chain.balance(to, 'processed')).toBe(SOL);
  });
});

describe('preflight', () => {
  test('runs on the state of its commitment', () => {
    const from = Keypair.generate();
    chain.send(chain.wireOf([chain.pay(from.publicKey, SOL)]));
    const wire = chain.wireOf([chain.pay(chain.payer.publicKey, SOL / 2, from)], { from });
    expect(chain.refusal(wire, { preflightCommitment: 'confirmed' })).toEqual(
      preflightError('AccountNotFound'),
    );
    expect(chain.send(wire, { preflightCommitment: 'processed' })).toEqual(expect.any(String));
    expect(chain.balance(from, 'processed')).toBe(SOL / 2 - FEE);
  });

  test('lets a transaction land that passed on an older state and fails on the newest', () => {
    const from = Keypair.generate();
    chain.fund(from, 2 * SOL);
    const to = Keypair.generate();
    const options = { preflightCommitment: 'confirmed' };
    chain.send(chain.wireOf([chain.pay(to.publicKey, SOL, from)], { from }), options);
    const second = chain.send(
      chain.wireOf([chain.pay(to.publicKey, SOL + 1, from)], { from }),
      options,
    );
    expect(chain.statusOf(second)).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] } });
    expect(chain.balance(to, 'processed')).toBe(SOL);
  });

  test('refuses what fails with its logs and units, and leaves no trace', () => {
    const wire = chain.wireOf([chain.pay(Keypair.generate().publicKey, 11 * SOL)]);
    const { code, message, data } = chain.refusal(wire);
    expect({ code, message }).toEqual({
      code: -32_002,
      message:
        'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
    });
    expect(data).toMatchObject({
      err: { InstructionError: [0, { Custom: 1 }] },
      logs: expect.arrayContaining([
        'Program 11111111111111111111111111111111 failed: custom program error: 0x1',
      ]),
      unitsConsumed: 150,
    });
    expect(chain.balances(chain.payer)).toEqual([10 * SOL, 10 * SOL, 10 * SOL]);
    expect(chain.call('getSignaturesForAddress', chain.payer.publicKey.toBase58())).toEqual([]);
  });
});

describe('without preflight', () => {
  const stranger = Keypair.generate();
  const nothing = ComputeBudgetProgram.setComputeUnitLimit({ units: 1 });

  test.each<[string, () => Uint8Array]>([
    ['with a signature of somebody else', () => forged()],
    ['whose payer has no money', () => chain.wireOf([nothing], { from: stranger })],
    [
      'with an unknown blockhash',
      () => chain.wireOf([nothing], { blockhash: Buffer.alloc(32, 1) }),
    ],
    ['with a compute budget instruction twice', () => chain.wireOf([nothing, nothing])],
  ])('a transaction %s gets its signature as the answer and never lands', (_, wire) => {
    const signature = chain.send(wire(), { skipPreflight: true });
    expect(signature).toEqual(expect.any(String));
    chain.advance(1);
    expect(chain.statusOf(signature)).toBeNull();
    expect(chain.balance(chain.payer, 'processed')).toBe(10 * SOL);
  });

  function forged(): Uint8Array {
    const wire = chain.wireOf([chain.pay(stranger.publicKey, SOL)]);
    wire[1] = (wire[1] ?? 0) ^ 1;
    return wire;
  }

  test.each<[string, () => TransactionInstruction, unknown]>([
    [
      'fails',
      () => chain.pay(stranger.publicKey, 11 * SOL),
      { InstructionError: [0, { Custom: 1 }] },
    ],
    [
      'calls a program that does not exist',
      () => new TransactionInstruction({ programId: stranger.publicKey, keys: [] }),
      'ProgramAccountNotFound',
    ],
  ])('what %s lands for its fee', (_, instruction, err) => {
    const signature = chain.send(chain.wireOf([instruction()]), { skipPreflight: true });
    expect(chain.statusOf(signature)).toMatchObject({ err, status: { Err: err } });
    expect(chain.balance(chain.payer, 'processed')).toBe(10 * SOL - FEE);
    chain.advance(1);
    const options = { commitment: 'confirmed', encoding: 'base64' };
    expect(chain.call('getTransaction', signature, options)).toMatchObject({
      meta: { err, fee: FEE },
    });
  });
});
