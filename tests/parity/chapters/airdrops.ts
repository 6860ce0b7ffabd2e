import { LAMPORTS_PER_SOL } from '@solana/web3.js';
import bs58 from 'bs58';
import { z } from 'zod';
import type { Chapter } from './chapter.ts';

/** SOL from the chain itself. */
export const airdrops: Chapter = {
  name: 'airdrops',
  play: async (talk) => {
    const address = talk.key('airdrop address').publicKey.toBase58();
    const { result } = z
      .object({ result: z.string() })
      .parse(await talk.call('requestAirdrop', [address, 2 * LAMPORTS_PER_SOL]));
    talk.note('an airdrop returns a signature', bs58.decode(result).length);
    const signed = { signature: result, wire: new Uint8Array(), base64: '' };
    talk.symbols.name(result, '<signature of an airdrop>');
    await talk.landed(signed, 'finalized');
    await talk.ask('the balance after an airdrop', 'getBalance', [address]);
    await talk.ask('an airdrop to what is no address', 'requestAirdrop', ['abc', 1]);
    await talk.ask('an airdrop of a negative amount', 'requestAirdrop', [address, -1]);
    await talk.ask('an airdrop of no amount', 'requestAirdrop', [address]);
  },
};
