import type { Talk, Signed } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL, unknownInstruction } from './instructions.ts';

const LANDINGS = 6;
const UNKNOWN_SIGNATURE =
  '5j7s6NiJS3JAkvgkoc18WVAsiSaci2pxB2A6ueCJP4tprA2TFg9wSyTLeYouxPBJEMzJinENTkpA52YStRW5Dia7';

/** The history of an address: pages, limits, cursors. */
export const history: Chapter = {
  name: 'history',
  play: async (talk) => {
    const payer = talk.key('history payer');
    const address = talk.key('history address').publicKey;
    await talk.fund(payer.publicKey, 10 * SOL);
    const landed: Signed[] = [];
    // One slot after the other, so that the order is the chain's.
    for (let nth = 0; nth < LANDINGS; nth += 1) {
      const signed = await talk.sign({
        name: `landing ${nth}`,
        payer,
        instructions: [
          pay(payer.publicKey, address, SOL / 100 + nth),
          ...(nth === 3 ? [unknownInstruction()] : []),
        ],
      });
      await talk.send(signed);
      await talk.landed(signed, 'confirmed');
      landed.push(signed);
    }
    const last = landed.at(-1);
    if (last === undefined) throw new Error('nothing landed');
    const read = (step: string, options?: Parameters<Talk['call']>[1]): Promise<unknown> =>
      talk.ask(step, 'getSignaturesForAddress', [
        address.toBase58(),
        ...(options === undefined ? [] : [options]),
      ]);
    const at = (nth: number): string => landed[nth]?.signature ?? '';
    await talk.landed(last, 'finalized');
    await read('the whole history');
    await read('the history at confirmed', { commitment: 'confirmed' });
    await read('the history at finalized', { commitment: 'finalized' });
    await read('the history at processed', { commitment: 'processed' });
    await read('the first page', { limit: 2 });
    await read('the page before a signature', { limit: 2, before: at(4) });
    await read('the page before a failure', { limit: 1, before: at(3) });
    await read('the page before the oldest', { before: at(0) });
    await read('the history until a signature', { until: at(2) });
    await read('the history until the newest', { until: at(5) });
    await read('the history between two signatures', { before: at(5), until: at(1) });
    await read('the history between two signatures in the wrong order', {
      before: at(1),
      until: at(4),
    });
    await read('the history before an unknown signature', { before: UNKNOWN_SIGNATURE });
    await read('the history until an unknown signature', { until: UNKNOWN_SIGNATURE });
    await read('a limit of 0', { limit: 0 });
    await read('a limit of 1', { limit: 1 });
    await read('a limit of 1 000', { limit: 1_000 });
    await read('a limit of 1 001', { limit: 1_001 });
    await read('a negative limit', { limit: -1 });
    await read('a signature that is none', { before: 'abc' });
    await read('a minimum slot in the future', { minContextSlot: 4_000_000_000 });
    await read('a minimum slot in the past', { minContextSlot: 1, limit: 1 });
    await talk.ask('the history of an address without one', 'getSignaturesForAddress', [
      talk.key('history nobody').publicKey.toBase58(),
    ]);
    await talk.ask('the history of what is no address', 'getSignaturesForAddress', ['abc']);
    await talk.ask('an unknown transaction', 'getTransaction', [UNKNOWN_SIGNATURE]);
    await talk.ask('the transaction of what is no signature', 'getTransaction', ['abc']);
    await talk.ask('an unknown status beside a known one', 'getSignatureStatuses', [
      [UNKNOWN_SIGNATURE, at(0)],
    ]);
    await talk.ask('no statuses', 'getSignatureStatuses', [[]]);
    await talk.ask('the status of what is no signature', 'getSignatureStatuses', [['abc']]);
    await talk.ask('256 statuses', 'getSignatureStatuses', [
      Array.from({ length: 256 }, () => UNKNOWN_SIGNATURE),
    ]);
    await talk.ask('257 statuses', 'getSignatureStatuses', [
      Array.from({ length: 257 }, () => UNKNOWN_SIGNATURE),
    ]);
    await talk.ask('one address in the history twice', 'getSignaturesForAddress', [
      payer.publicKey.toBase58(),
      { limit: 1, commitment: 'confirmed' },
    ]);
  },
};
