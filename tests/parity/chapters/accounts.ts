import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { localProgramId } from '@agent-wallet/local-system/chain/chain-facts.ts';
import { SYSVAR_CLOCK_PUBKEY, SYSVAR_RENT_PUBKEY, SystemProgram } from '@solana/web3.js';
import type { Json } from '../symbols.ts';
import type { Level, Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { pay, SOL } from './instructions.ts';
import { createMint } from './create-mint.ts';

const LEVELS: readonly Level[] = ['processed', 'confirmed', 'finalized'];
const MOST_ACCOUNTS = 100;

/** Reads of accounts, at each commitment and in each encoding. */
export const accounts: Chapter = {
  name: 'accounts',
  play: async (talk) => {
    const payer = talk.key('accounts payer');
    await talk.fund(payer.publicKey, 10 * SOL);
    const mint = talk.key('accounts mint');
    await createMint(talk, { payer, mint, authority: talk.key('accounts authority').publicKey });
    await encodings(talk, mint.publicKey.toBase58());
    await levels(talk);
    await refusals(talk);
  },
};

async function encodings(talk: Talk, mint: string): Promise<void> {
  const payer = talk.key('accounts payer').publicKey.toBase58();
  const read = (step: string, address: string, options?: Json): Promise<Json> =>
    talk.ask(step, 'getAccountInfo', [address, ...(options === undefined ? [] : [options])]);
  await read('a wallet, no options', payer);
  for (const encoding of ['base58', 'base64', 'base64+zstd', 'jsonParsed', 'binary']) {
    await read(`a wallet in ${encoding}`, payer, { encoding });
    await read(`a mint in ${encoding}`, mint, { encoding });
  }
  await read('a mint, no options', mint);
  await read('a mint, a slice', mint, {
    encoding: 'base64',
    dataSlice: { offset: 36, length: 9 },
  });
  await read('a mint, a slice in base58', mint, {
    encoding: 'base58',
    dataSlice: { offset: 36, length: 9 },
  });
  await read('a mint, a slice beyond its end', mint, {
    encoding: 'base64',
    dataSlice: { offset: 80, length: 50 },
  });
  await read('a mint, a slice after its end', mint, {
    encoding: 'base64',
    dataSlice: { offset: 200, length: 5 },
  });
  await read('a mint, a slice of jsonParsed', mint, {
    encoding: 'jsonParsed',
    dataSlice: { offset: 0, length: 5 },
  });
  await read('the system program', SystemProgram.programId.toBase58(), { encoding: 'base64' });
  await read('our program', localProgramId(), {
    encoding: 'base64',
    dataSlice: { offset: 0, length: 4 },
  });
  await read('our program, parsed', localProgramId(), { encoding: 'jsonParsed' });
  await read('rent', SYSVAR_RENT_PUBKEY.toBase58(), { encoding: 'base64' });
  await read('rent, parsed', SYSVAR_RENT_PUBKEY.toBase58(), { encoding: 'jsonParsed' });
  await read('the clock, a slice of nothing', SYSVAR_CLOCK_PUBKEY.toBase58(), {
    encoding: 'base64',
    dataSlice: { offset: 0, length: 0 },
  });
  await read('an address without an account', talk.key('accounts nobody').publicKey.toBase58(), {
    encoding: 'base64',
  });
  await talk.ask('several accounts', 'getMultipleAccounts', [
    [payer, talk.key('accounts nobody').publicKey.toBase58(), mint],
    { encoding: 'base64' },
  ]);
  await talk.ask('several accounts, no options', 'getMultipleAccounts', [[payer, payer]]);
  await talk.ask('no accounts', 'getMultipleAccounts', [[]]);
  await talk.ask('the balance of nobody', 'getBalance', [
    talk.key('accounts nobody').publicKey.toBase58(),
  ]);
}

/** What each level shows as a payment becomes confirmed and final. */
async function levels(talk: Talk): Promise<void> {
  const payer = talk.key('accounts payer');
  const payee = talk.key('accounts payee').publicKey;
  const signed = await talk.sign({
    name: 'a payment',
    payer,
    instructions: [pay(payer.publicKey, payee, SOL)],
  });
  await talk.send(signed);
  await talk.landed(signed, 'confirmed');
  const show = async (when: string): Promise<void> => {
    for (const commitment of LEVELS) {
      await talk.ask(`${when}, the balance at ${commitment}`, 'getBalance', [
        payee.toBase58(),
        { commitment },
      ]);
      await talk.ask(`${when}, the account at ${commitment}`, 'getAccountInfo', [
        payee.toBase58(),
        { commitment, encoding: 'base64' },
      ]);
    }
    await talk.ask(`${when}, the balance at no level`, 'getBalance', [payee.toBase58()]);
  };
  await show('when a payment is confirmed');
  await talk.landed(signed, 'finalized');
  await show('when a payment is final');
}

async function refusals(talk: Talk): Promise<void> {
  const payer = talk.key('accounts payer').publicKey.toBase58();
  const ask = (step: string, method: string, params: Json): Promise<Json> =>
    talk.ask(step, method, params);
  await ask('an address that is too short', 'getAccountInfo', ['abc']);
  await ask('an address that is not base58', 'getAccountInfo', ['0'.repeat(44)]);
  await ask('an encoding that does not exist', 'getAccountInfo', [payer, { encoding: 'base32' }]);
  await ask('a commitment that does not exist', 'getAccountInfo', [payer, { commitment: 'sure' }]);
  await ask('no address', 'getAccountInfo', []);
  await ask('a minimum slot in the future', 'getAccountInfo', [
    payer,
    { minContextSlot: 4_000_000_000 },
  ]);
  await ask('a minimum slot in the past', 'getAccountInfo', [
    payer,
    { minContextSlot: 1, encoding: 'base64' },
  ]);
  await ask('several accounts at a minimum slot in the future', 'getMultipleAccounts', [
    [payer],
    { minContextSlot: 4_000_000_000 },
  ]);
  await ask('the balance at a minimum slot in the future', 'getBalance', [
    payer,
    { minContextSlot: 4_000_000_000 },
  ]);
  await ask('100 accounts with a slice of nothing', 'getMultipleAccounts', [
    Array.from({ length: MOST_ACCOUNTS }, () => payer),
    { encoding: 'base64', dataSlice: { offset: 0, length: 0 } },
  ]);
  await ask('101 accounts', 'getMultipleAccounts', [
    Array.from({ length: MOST_ACCOUNTS + 1 }, () => payer),
    { encoding: 'base64' },
  ]);
  await ask('several accounts, one address too short', 'getMultipleAccounts', [[payer, 'abc']]);
  await ask('a large account in base58', 'getAccountInfo', [
    SANDBOX_RESERVE.reserve,
    { encoding: 'base58' },
  ]);
}
