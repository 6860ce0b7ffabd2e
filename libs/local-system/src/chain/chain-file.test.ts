import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
} from '@solana/web3.js';
import bs58 from 'bs58';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readChainFile, writeChainFile } from './chain-file.ts';
import { type ChainEngine, createChainEngine } from './engine/chain-engine.ts';
import { parseTransaction, type WireTransaction } from './engine/transactions/wire-transaction.ts';
import { createLocalNode } from './local-node.ts';
import { type ChainSetUp, setUpChain } from './set-up-chain.ts';

const LEVELS = ['processed', 'confirmed', 'finalized'] as const;
const LAMPORTS = 1_000_000_000;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'chain-file-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

function signed(faucet: Keypair, chain: ChainEngine, to: PublicKey, program?: PublicKey) {
  const transaction = new Transaction({
    feePayer: faucet.publicKey,
    recentBlockhash: bs58.encode(chain.blockhash('processed').bytes),
  }).add(
    program === undefined
      ? SystemProgram.transfer({
          fromPubkey: faucet.publicKey,
          toPubkey: to,
          lamports: LAMPORTS,
        })
      : new TransactionInstruction({ programId: program, keys: [], data: Buffer.alloc(8, 0xff) }),
  );
  transaction.sign(faucet);
  return parseTransaction(transaction.serialize());
}

function land(chain: ChainEngine, transaction: WireTransaction): unknown {
  const submission = chain.submit(transaction, { preflight: null });
  return submission.kind === 'landed' ? 'landed' : submission.execution.err;
}

/** Writes a chain to a file, and continues it in another engine. */
function continued(chain: ChainEngine, { faucet, programLoaded }: ChainSetUp): ChainEngine {
  const file = join(dir, 'chain.state');
  writeChainFile(file, { chain: chain.save(), faucetSecretKey: faucet.secretKey, programLoaded });
  expect(readdirSync(dir)).toEqual(['chain.state']);
  const kept = readChainFile(file);
  if (kept === undefined) throw new Error('nothing was written');
  expect(kept.faucetSecretKey).toEqual(faucet.secretKey);
  return createChainEngine({ saved: kept.chain });
}

test('a chain goes on where it was saved: accounts at each level, history, blockhashes, programs', async () => {
  const chain = createChainEngine();
  const setUp = await setUpChain(createLocalNode(chain));
  const payee = Keypair.generate().publicKey;
  const address = payee.toBase58();
  const first = signed(setUp.faucet, chain, payee);
  expect(land(chain, first)).toBe('landed');
  chain.advance();
  chain.advance();
  const unsent = signed(setUp.faucet, chain, Keypair.generate().publicKey);
  const again = continued(chain, setUp);

  expect(again.genesisHash).toBe(chain.genesisHash);
  const balances = (one: ChainEngine) =>
    LEVELS.map((level) => [one.slot(level), one.account(address, level)?.lamports]);
  expect(balances(again)).toEqual(balances(chain));
  expect(balances(again)[2]?.[1]).toBeUndefined();
  const query = { limit: 10, maxSlot: again.slot('processed') };
  expect(again.history.ofAddress(address, query)).toEqual(chain.history.ofAddress(address, query));
  const [landing] = again.history.ofAddress(address, query);
  const signature = landing?.signature ?? '';
  expect(again.history.read(signature)?.transaction.wire).toEqual(first.wire);
  expect(again.history.read(signature)).toEqual(chain.history.read(signature));
  expect(again.transactionCount()).toBe(chain.transactionCount());
  expect(again.blockTime(again.slot('confirmed'))).toBe(chain.blockTime(chain.slot('confirmed')));

  expect(land(again, first)).toBe('AlreadyProcessed');
  expect(land(again, unsent)).toBe('landed');
  for (let slot = 0; slot < 32; slot += 1) again.advance();
  expect(again.account(address, 'finalized')?.lamports).toBe(BigInt(LAMPORTS));
  const program = new PublicKey(SANDBOX_RESERVE.programId);
  const call = signed(setUp.faucet, again, payee, program);
  const { execution } = again.simulate(call, {
    commitment: 'processed',
    verifySignatures: true,
    checkBlockhash: true,
  });
  expect(execution.err).toEqual({ InstructionError: [0, { Custom: 101 }] });
  expect(land(again, again.airdrop(address, LAMPORTS))).toBe('landed');
});

test('there is nothing to continue before the first save, and nothing from another version', () => {
  const file = join(dir, 'chain.state');
  expect(readChainFile(file)).toBeUndefined();
  writeFileSync(file, serialize({ format: 0, kept: {} }));
  expect(() => readChainFile(file)).toThrow('was written by another version');
});
