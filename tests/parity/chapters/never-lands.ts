import { Buffer } from 'node:buffer';
import bs58 from 'bs58';
import { z } from 'zod';
import { waitUntil } from '../../support/wait-until.ts';
import type { Signed, Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL } from './instructions.ts';

const BLOCKHASH_BLOCKS = 150;
const EXPIRES_WITHIN_MS = 120_000;
/** Long enough for a transaction to land, if it could. */
const SETTLE_SLOTS = 5;

const height = z.number();

/** What a chain accepts and never lands: expired or unknown blockhashes, payers without funds. */
export const neverLands: Chapter = {
  name: 'what never lands',
  play: async (talk) => {
    const payer = talk.key('never payer');
    await talk.fund(payer.publicKey, 10 * SOL);
    const old = await talk.blockhash();
    const draft = (name: string, lamports: number, blockhash: string): Promise<Signed> =>
      talk.sign({
        name,
        payer,
        instructions: [pay(payer.publicKey, payer.publicKey, lamports)],
        blockhash,
      });
    const expired = await draft('an expired transfer', 1, old.blockhash);
    const expiredToo = await draft('another expired transfer', 2, old.blockhash);
    const early = await draft('a transfer within its window', 3, old.blockhash);
    const unknown = await draft('an unknown blockhash', 4, bs58.encode(Buffer.alloc(32, 7)));
    await talk.send(early);
    await talk.landed(early, 'confirmed');
    await talk.ask('a blockhash within its window', 'isBlockhashValid', [
      old.blockhash,
      { commitment: 'processed' },
    ]);
    await talk.ask('the fee of a message within its window', 'getFeeForMessage', [
      messageOf(early),
      { commitment: 'processed' },
    ]);
    await talk.ask('an unknown blockhash, sent without preflight', 'sendTransaction', [
      unknown.base64,
      { encoding: 'base64', skipPreflight: true },
    ]);
    const nobody = talk.key('never nobody');
    const broke = await talk.sign({
      name: 'a payer that does not exist',
      payer: nobody,
      instructions: [pay(nobody.publicKey, payer.publicKey, 1)],
    });
    await talk.ask('a payer that does not exist, sent without preflight', 'sendTransaction', [
      broke.base64,
      { encoding: 'base64', skipPreflight: true },
    ]);
    await talk.ask('the range of a new blockhash', 'isBlockhashValid', [
      (await talk.blockhash()).blockhash,
      { commitment: 'confirmed' },
    ]);
    talk.note('the blocks of a new blockhash', await remainingBlocks(talk));

    await passHeight(talk, old.lastValidBlockHeight + 1);
    await talk.ask('a blockhash after its window', 'isBlockhashValid', [
      old.blockhash,
      { commitment: 'processed' },
    ]);
    await talk.ask('the fee of a message after its window', 'getFeeForMessage', [
      messageOf(early),
      { commitment: 'processed' },
    ]);
    await talk.ask('an expired transfer, sent with preflight', 'sendTransaction', [
      expired.base64,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
    await talk.ask('an expired transfer, sent without preflight', 'sendTransaction', [
      expiredToo.base64,
      { encoding: 'base64', skipPreflight: true },
    ]);
    await talk.ask('an expired transfer, simulated', 'simulateTransaction', [
      expired.base64,
      { encoding: 'base64', commitment: 'confirmed' },
    ]);
    await talk.ask('an expired transfer, simulated with a new blockhash', 'simulateTransaction', [
      expired.base64,
      {
        encoding: 'base64',
        commitment: 'confirmed',
        sigVerify: false,
        replaceRecentBlockhash: true,
      },
    ]);
    await passHeight(talk, old.lastValidBlockHeight + 1 + SETTLE_SLOTS);
    const never = [expired, expiredToo, unknown, broke].map(({ signature }) => signature);
    await talk.ask('statuses of what never lands', 'getSignatureStatuses', [
      never,
      { searchTransactionHistory: true },
    ]);
    await talk.ask('the transaction that never landed', 'getTransaction', [
      expired.signature,
      { commitment: 'confirmed' },
    ]);
    await talk.ask('the status of the transfer that landed in time', 'getSignatureStatuses', [
      [early.signature],
    ]);
    await talk.ask('the transfer that landed in time, sent after its window', 'sendTransaction', [
      early.base64,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
  },
};

const messageOf = ({ wire }: Signed): string => Buffer.from(wire.subarray(65)).toString('base64');

/** Whether a new blockhash is valid for 150 blocks, give or take the blocks between the two calls. */
async function remainingBlocks(talk: Talk): Promise<string> {
  const { lastValidBlockHeight } = await talk.blockhash();
  const now = height.parse(await talk.result('getBlockHeight', [{ commitment: 'confirmed' }]));
  const blocks = lastValidBlockHeight - now;
  return blocks > BLOCKHASH_BLOCKS - 10 && blocks <= BLOCKHASH_BLOCKS + 1
    ? 'as many as expected'
    : `${blocks}`;
}

async function passHeight(talk: Talk, wanted: number): Promise<void> {
  await waitUntil(
    `block height ${wanted}`,
    async () =>
      height.parse(await talk.result('getBlockHeight', [{ commitment: 'confirmed' }])) >= wanted,
    { timeoutMs: EXPIRES_WITHIN_MS, intervalMs: 50 },
  );
}
