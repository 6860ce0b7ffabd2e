import {
  createAssociatedTokenAccountIdempotentInstruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import type { PublicKey } from '@solana/web3.js';
import type { Json } from '../symbols.ts';
import type { Talk } from '../talk.ts';
import type { Chapter } from './chapter.ts';
import { createMint, DECIMALS } from './create-mint.ts';
import { SOL } from './instructions.ts';

const TOKEN_ACCOUNT_BYTES = 165;

/** Token accounts, and the accounts of a program. */
export const tokenAccounts: Chapter = {
  name: 'token accounts',
  play: async (talk) => {
    const owner = talk.key('token owner');
    const other = talk.key('token other').publicKey;
    await talk.fund(owner.publicKey, 10 * SOL);
    const authority = talk.key('token authority');
    const mintKey = talk.key('token mint');
    await createMint(talk, { payer: owner, mint: mintKey, authority: authority.publicKey });
    const mint = mintKey.publicKey;
    const source = getAssociatedTokenAddressSync(mint, owner.publicKey);
    const target = getAssociatedTokenAddressSync(mint, other);
    const minted = await talk.sign({
      name: 'an issue of tokens',
      payer: owner,
      others: [authority],
      instructions: [
        createAssociatedTokenAccountIdempotentInstruction(
          owner.publicKey,
          source,
          owner.publicKey,
          mint,
        ),
        createAssociatedTokenAccountIdempotentInstruction(owner.publicKey, target, other, mint),
        createMintToInstruction(mint, source, authority.publicKey, 5_000_000),
      ],
    });
    await talk.send(minted);
    await talk.landed(minted, 'finalized');
    const moved = await talk.sign({
      name: 'a payment of tokens',
      payer: owner,
      instructions: [
        createTransferCheckedInstruction(
          source,
          mint,
          target,
          owner.publicKey,
          1_250_000,
          DECIMALS,
        ),
      ],
    });
    await talk.send(moved);
    await talk.landed(moved, 'finalized');
    for (const encoding of ['json', 'jsonParsed']) {
      await talk.ask(`the mint's transaction in ${encoding}`, 'getTransaction', [
        minted.signature,
        { encoding, maxSupportedTransactionVersion: 0 },
      ]);
      await talk.ask(`the payment's transaction in ${encoding}`, 'getTransaction', [
        moved.signature,
        { encoding, maxSupportedTransactionVersion: 0 },
      ]);
    }
    await refusedPayments(talk, { mint, source, target });
    await reads(talk, source.toBase58(), mint.toBase58());
  },
};

async function refusedPayments(
  talk: Talk,
  {
    mint,
    source,
    target,
  }: { readonly mint: PublicKey; readonly source: PublicKey; readonly target: PublicKey },
): Promise<void> {
  const owner = talk.key('token owner');
  const cases = {
    'more tokens than there are': [99_000_000, owner, DECIMALS],
    'the wrong decimals': [1, owner, DECIMALS - 1],
    'the wrong authority': [1, talk.key('token stranger'), DECIMALS],
  } as const;
  for (const [what, [amount, authority, decimals]] of Object.entries(cases)) {
    const signed = await talk.sign({
      name: what,
      payer: owner,
      others: authority === owner ? [] : [authority],
      instructions: [
        createTransferCheckedInstruction(
          source,
          mint,
          target,
          authority.publicKey,
          amount,
          decimals,
        ),
      ],
    });
    await talk.ask(`${what}, sent with preflight`, 'sendTransaction', [
      signed.base64,
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
  }
}

async function reads(talk: Talk, account: string, mint: string): Promise<void> {
  const owner = talk.key('token owner').publicKey.toBase58();
  const nobody = talk.key('token nobody').publicKey.toBase58();
  const ask = (step: string, method: string, params: Json): Promise<Json> =>
    talk.ask(step, method, params);
  await ask('a token balance', 'getTokenAccountBalance', [account]);
  await ask('the token balance of nobody', 'getTokenAccountBalance', [nobody]);
  await ask('the token balance of a wallet', 'getTokenAccountBalance', [owner]);
  await ask('the token balance of a mint', 'getTokenAccountBalance', [mint]);
  await ask('the supply of a wallet', 'getTokenSupply', [owner]);
  await ask('the supply of a token account', 'getTokenSupply', [account]);
  for (const encoding of ['base64', 'jsonParsed']) {
    await ask(`a token account in ${encoding}`, 'getAccountInfo', [account, { encoding }]);
    await ask(`the accounts of an owner by mint in ${encoding}`, 'getTokenAccountsByOwner', [
      owner,
      { mint },
      { encoding },
    ]);
    await ask(`the accounts of an owner by program in ${encoding}`, 'getTokenAccountsByOwner', [
      owner,
      { programId: TOKEN_PROGRAM_ID.toBase58() },
      { encoding },
    ]);
    await ask(`the accounts of a program in ${encoding}`, 'getProgramAccounts', [
      TOKEN_PROGRAM_ID.toBase58(),
      {
        encoding,
        filters: [{ dataSize: TOKEN_ACCOUNT_BYTES }, { memcmp: { offset: 32, bytes: owner } }],
      },
    ]);
  }
  await ask('the accounts of an owner, no options', 'getTokenAccountsByOwner', [owner, { mint }]);
  await ask('the accounts of an owner, a slice', 'getTokenAccountsByOwner', [
    owner,
    { mint },
    { encoding: 'base64', dataSlice: { offset: 64, length: 8 } },
  ]);
  await ask('the accounts of nobody', 'getTokenAccountsByOwner', [
    nobody,
    { mint },
    { encoding: 'base64' },
  ]);
  await ask('the accounts of an owner in Token-2022', 'getTokenAccountsByOwner', [
    owner,
    { programId: TOKEN_2022_PROGRAM_ID.toBase58() },
    { encoding: 'base64' },
  ]);
  await ask('the accounts of an owner by a mint that is none', 'getTokenAccountsByOwner', [
    owner,
    { mint: nobody },
    { encoding: 'base64' },
  ]);
  await ask('the accounts of an owner by a program that is none', 'getTokenAccountsByOwner', [
    owner,
    { programId: nobody },
    { encoding: 'base64' },
  ]);
  await ask('the accounts of an owner by nothing', 'getTokenAccountsByOwner', [owner, {}]);
  await ask(
    'the accounts of a program, a slice',
    'getProgramAccounts',
    filtered([{ memcmp: { offset: 32, bytes: owner, encoding: 'base58' } }], {
      dataSlice: { offset: 64, length: 8 },
    }),
  );
  await ask(
    'the accounts of a program, with context',
    'getProgramAccounts',
    filtered([{ memcmp: { offset: 32, bytes: owner } }], { withContext: true }),
  );
  await ask(
    'the accounts of a program by a size that none has',
    'getProgramAccounts',
    filtered([{ dataSize: 166 }, { memcmp: { offset: 32, bytes: owner } }]),
  );
  await ask(
    'the accounts of a program by bytes that are none',
    'getProgramAccounts',
    filtered([{ memcmp: { offset: 32, bytes: '0' } }]),
  );
  await ask(
    'five filters',
    'getProgramAccounts',
    filtered(Array.from({ length: 5 }, () => ({ memcmp: { offset: 32, bytes: owner } }))),
  );
  await ask('the accounts of a program without any', 'getProgramAccounts', [
    nobody,
    { encoding: 'base64' },
  ]);
}

const filtered = (filters: Json, more: { [key: string]: Json } = {}): Json => [
  TOKEN_PROGRAM_ID.toBase58(),
  { encoding: 'base64', filters, ...more },
];
