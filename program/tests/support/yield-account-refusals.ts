import { TOKEN_2022_PROGRAM_ID } from '@solana/spl-token';
import { after, type Mutator, readonly, replaced } from './calls.ts';
import { editData, PROGRAM_ID, setAccount, setTokenAccount } from './chain.ts';
import type { Refusal } from './expect.ts';
import { removed, strangersWorld } from './refusals.ts';
import { reserveAccounts } from './reserve.ts';
import type { World } from './world.ts';

/** Refusals of an account of the yield authority that exists already. */
export function refusalsOfHeldAccount(name: 'transit' | 'collateral'): readonly Refusal[] {
  const account = `${name}_token_account`;
  return [
    [`the ${name} account is not writable`, readonly(account), 'ConstraintMut', account],
    [
      `the ${name} account is another one of the yield authority`,
      replaced(account, (w) => {
        const mint =
          name === 'transit'
            ? reserveAccounts.reserve_liquidity_mint
            : reserveAccounts.reserve_collateral_mint;
        return setTokenAccount(w.svm, w.yieldAuthority, 1_000n, {
          address: w.stranger.publicKey,
          mint,
        });
      }),
      'ConstraintAssociated',
      account,
    ],
    [
      `the ${name} account is that of another vault`,
      replaced(account, (w) => strangersWorld(w)[name]),
      'ConstraintAssociated',
      account,
    ],
    [
      `the ${name} account is that of the vault`,
      replaced(account, (w) => w.vaultTokenAccount),
      'ConstraintAssociated',
      account,
    ],
    [
      `the ${name} account is the other one`,
      replaced(account, (w) => (name === 'transit' ? w.collateral : w.transit)),
      'ConstraintAssociated',
      account,
    ],
    [
      `the ${name} account is an account of another program`,
      after((w) => setAccount(w.svm, w[name], { owner: TOKEN_2022_PROGRAM_ID })),
      'AccountOwnedByWrongProgram',
      account,
    ],
    [
      `the ${name} account was handed to somebody else`,
      edited(name, (data, w) => w.stranger.publicKey.toBuffer().copy(data, 32)),
      'ConstraintTokenOwner',
      account,
    ],
    [
      `the ${name} account is of another mint`,
      edited(name, (data, w) => w.stranger.publicKey.toBuffer().copy(data, 0)),
      'ConstraintTokenMint',
      account,
    ],
    [
      `the ${name} account has a delegate`,
      edited(name, (data) => data.writeUInt32LE(1, 72)),
      'TokenAccountDelegated',
      account,
    ],
    [
      `the ${name} account has a close authority`,
      edited(name, (data) => data.writeUInt32LE(1, 129)),
      'TokenAccountCloseAuthority',
      account,
    ],
    [
      `the ${name} account is frozen`,
      edited(name, (data) => data.writeUInt8(2, 108)),
      'TokenAccountFrozen',
      account,
    ],
  ];
}

function edited(
  name: 'transit' | 'collateral',
  edit: (data: Buffer, world: World) => unknown,
): Mutator {
  return after((world) => editData(world.svm, world[name], (data) => void edit(data, world)));
}

const other = (name: string): Refusal => [
  `the ${name} is another`,
  replaced(name, (w) => w.stranger.publicKey),
  'ReserveMismatch',
  name,
];
const written = (name: string): Refusal => [
  `the ${name} is not writable`,
  readonly(name),
  'ConstraintMut',
  name,
];

/** Refusals of every instruction that calls the reserve, about its accounts. */
export const refusalsOfReserve: readonly Refusal[] = [
  [
    'yield was never initialized',
    after((w) => editData(w.svm, w.vault, (data) => data.writeUInt8(0, 13))),
    'AccountNotInitialized',
    'transit_token_account',
  ],
  [
    'the yield authority is that of another vault',
    replaced('yield_authority', (w) => strangersWorld(w).yieldAuthority),
    'ConstraintSeeds',
    'yield_authority',
  ],
  [
    'the yield authority is the vault',
    replaced('yield_authority', (w) => w.vault),
    'ConstraintSeeds',
    'yield_authority',
  ],
  other('reserve'),
  other('lending_market'),
  other('lending_market_authority'),
  other('liquidity_supply'),
  other('collateral_mint'),
  other('reserve_program'),
  [
    'the liquidity supply is the transit account',
    replaced('liquidity_supply', (w) => w.transit),
    'ReserveMismatch',
    'liquidity_supply',
  ],
  [
    'the program itself is called in place of the reserve program',
    replaced('reserve_program', () => PROGRAM_ID),
    'ReserveMismatch',
    'reserve_program',
  ],
  written('reserve'),
  written('liquidity_supply'),
  written('collateral_mint'),
  [
    'the reserve is missing',
    removed(() => reserveAccounts.reserve),
    'AccountNotInitialized',
    'reserve',
  ],
  [
    'the reserve belongs to another program',
    after((w) => setAccount(w.svm, reserveAccounts.reserve, { owner: w.stranger.publicKey })),
    'AccountOwnedByWrongProgram',
    'reserve',
  ],
  [
    'the sysvar is another',
    replaced('instructions_sysvar', (w) => w.stranger.publicKey),
    'ConstraintAddress',
    'instructions_sysvar',
  ],
];
