import { Buffer } from 'node:buffer';
import { z } from 'zod';
import type { Json } from '../symbols.ts';
import type { Level, Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL } from './instructions.ts';

const LEVELS: readonly Level[] = ['finalized', 'confirmed', 'processed'];
const number = z.number();
/** Both clocks are machine clocks, but one reads them earlier. */
const CLOCK_SECONDS = 20;

/** Heights, fees, versions, times: what a node says of itself and its chain. */
export const nodeFacts: Chapter = {
  name: 'node facts',
  play: async (talk) => {
    const payer = talk.key('facts payer');
    await talk.fund(payer.publicKey, 10 * SOL);
    await talk.ask('health', 'getHealth');
    await talk.ask('version', 'getVersion');
    talk.note('the genesis hash twice', await sameTwice(talk, 'getGenesisHash'));
    await talk.ask('epoch', 'getEpochInfo');
    await talk.ask('epoch schedule', 'getEpochSchedule');
    for (const bytes of [0, 82, 165, 8_624]) {
      await talk.ask(`the rent of ${bytes} bytes`, 'getMinimumBalanceForRentExemption', [bytes]);
    }
    await talk.ask('the rent of a negative size', 'getMinimumBalanceForRentExemption', [-1]);
    await heights(talk);
    await times(talk);
    await fees(talk);
    await blockhashes(talk);
  },
};

async function sameTwice(talk: Talk, method: string): Promise<Json> {
  return (await talk.result(method)) === (await talk.result(method));
}

/** The order of the levels, which slots and heights of two chains share. */
async function heights(talk: Talk): Promise<void> {
  for (const method of ['getSlot', 'getBlockHeight']) {
    const values: number[] = [];
    for (const commitment of LEVELS) {
      values.push(number.parse(await talk.result(method, [{ commitment }])));
    }
    const [finalized = 0, confirmed = 0, processed = 0] = values;
    talk.note(`${method}: finalized is behind confirmed`, finalized < confirmed);
    talk.note(`${method}: confirmed is not ahead of processed`, confirmed <= processed);
    talk.note(`${method}: finalized is about 32 behind`, isAbout(confirmed - finalized, 31));
  }
  await talk.ask('the slot at a minimum slot in the future', 'getSlot', [
    { minContextSlot: 4_000_000_000 },
  ]);
  await talk.ask('the height at a minimum slot in the future', 'getBlockHeight', [
    { minContextSlot: 4_000_000_000 },
  ]);
  await talk.ask('the slot at a level that does not exist', 'getSlot', [{ commitment: 'sure' }]);
}

/** Both calls of a difference take time, in which slots pass. */
const isAbout = (slots: number, wanted: number): boolean =>
  slots >= wanted - 2 && slots <= wanted + 20;

async function times(talk: Talk): Promise<void> {
  const slot = number.parse(await talk.result('getSlot', [{ commitment: 'finalized' }]));
  const seconds = number.parse(await talk.result('getBlockTime', [slot]));
  const now = Date.now() / 1_000;
  talk.note('the time of a final block', Math.abs(seconds - now) < CLOCK_SECONDS);
  await talk.ask('the time of a block in the future', 'getBlockTime', [4_000_000_000]);
  await talk.ask('the time of no block', 'getBlockTime');
}

async function fees(talk: Talk): Promise<void> {
  const payer = talk.key('facts payer');
  const signed = await talk.sign({
    name: 'a message',
    payer,
    instructions: [pay(payer.publicKey, payer.publicKey, 1)],
  });
  const message = Buffer.from(signed.wire.subarray(65)).toString('base64');
  await talk.ask('the fee of a message', 'getFeeForMessage', [
    message,
    { commitment: 'confirmed' },
  ]);
  await talk.ask('the fee of bytes that are no message', 'getFeeForMessage', ['AAAA']);
  await talk.ask('the fee of text that is no base64', 'getFeeForMessage', ['***']);
  await talk.ask(
    'recent priority fees of an account nobody writes',
    'getRecentPrioritizationFees',
    [[talk.key('facts nobody').publicKey.toBase58()]],
  );
  await talk.ask('recent priority fees of what is no address', 'getRecentPrioritizationFees', [
    ['abc'],
  ]);
  await talk.ask('recent priority fees of 129 accounts', 'getRecentPrioritizationFees', [
    Array.from({ length: 129 }, () => payer.publicKey.toBase58()),
  ]);
}

async function blockhashes(talk: Talk): Promise<void> {
  for (const commitment of LEVELS) {
    await talk.ask(`the newest blockhash at ${commitment}`, 'getLatestBlockhash', [{ commitment }]);
  }
  await talk.ask('the newest blockhash, no options', 'getLatestBlockhash');
  await talk.ask('the newest blockhash at a minimum slot in the future', 'getLatestBlockhash', [
    { minContextSlot: 4_000_000_000 },
  ]);
  await talk.ask('the newest blockhash at a level that does not exist', 'getLatestBlockhash', [
    { commitment: 'sure' },
  ]);
  await talk.ask('whether an unknown blockhash is valid', 'isBlockhashValid', [
    'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
    { commitment: 'processed' },
  ]);
  await talk.ask('whether text that is no blockhash is valid', 'isBlockhashValid', ['abc']);
}
