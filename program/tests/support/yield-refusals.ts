import { both, edited, replaced, signedBy, unsigned, withArgs } from './mutators.ts';
import { byOwner } from './calls.ts';
import { NOW, PROGRAM_ID } from './chain.ts';
import type { Refusal } from './expect.ts';
import { another, failing, faulty, swapped } from './faults.ts';
import { firstChecksOfSpend, refusalsOfDeadline, refusalsOfSpend } from './refusals.ts';
import { reserveAccounts } from './reserve.ts';
import { strangersWorld } from './world.ts';

/** Refusals of an account of the yield authority that exists already. */
export function refusalsOfHeldAccount(name: 'transit' | 'collateral'): readonly Refusal[] {
  const account = `${name}_token_account`;
  return [
    ...faulty(account, 'readonly', 'duplicate', 'token2022', 'handedOver', 'otherMint'),
    ...faulty(account, 'delegated', 'closable', 'frozen'),
    ...swapped(account, 'ConstraintAssociated', {
      'that of another vault': (w) => strangersWorld(w)[name],
      'that of the vault': (w) => w.vaultTokenAccount,
      'the other one': (w) => (name === 'transit' ? w.collateral : w.transit),
    }),
  ];
}

/** Refusals of both instructions that move money between a vault and the reserve. */
export const refusalsOfYield: readonly Refusal[] = [
  ...refusalsOfSpend('authority'),
  ...failing(
    'ConstraintHasOne',
    {
      'a stranger signs without a session': both(
        byOwner,
        signedBy('authority', (w) => w.stranger),
      ),
      'the session key signs without its session': both(
        byOwner,
        signedBy('authority', (w) => w.sessionKey),
      ),
      'the vault is that of another owner and there is no session': both(
        byOwner,
        replaced('vault', (w) => strangersWorld(w).vault),
      ),
    },
    'vault',
  ),
  ...failing(
    'AccountNotSigner',
    { 'the owner does not sign': both(byOwner, unsigned('authority')) },
    'authority',
  ),
  ...failing('InvalidAmount', {
    'the owner moves nothing': both(byOwner, withArgs({ amount: 0n })),
  }),
  ...refusalsOfDeadline,
  ...failing('DeadlinePassed', {
    'the deadline of the owner was a second ago': both(byOwner, withArgs({ deadline: NOW - 1n })),
    'the deadline of the owner passed, and nothing is moved': both(
      byOwner,
      withArgs({ deadline: NOW - 1n, amount: 0n }),
    ),
  }),
  ...faulty('vault', 'readonly'),
  ...swapped('vault_token_account', 'ConstraintAssociated', {
    'the one for transit': (w) => w.transit,
  }),
  ...swapped('usdc_mint', 'ConstraintAddress', {
    'the collateral mint': () => reserveAccounts.reserve_collateral_mint,
  }),
  ...refusalsOfHeldAccount('transit'),
  ...refusalsOfHeldAccount('collateral'),
  ...faulty('transit_token_account', 'missing'),
  ...faulty('collateral_token_account', 'missing'),
  ...failing(
    'AccountNotInitialized',
    { 'yield was never initialized': edited('vault', (data) => data.writeUInt8(0, 13)) },
    'transit_token_account',
  ),
  ...swapped('yield_authority', 'ConstraintSeeds', {
    'that of another vault': (w) => strangersWorld(w).yieldAuthority,
    'the vault': (w) => w.vault,
  }),
  ...another('ReserveMismatch', 'reserve', 'lending_market', 'lending_market_authority'),
  ...another('ReserveMismatch', 'liquidity_supply', 'collateral_mint', 'reserve_program'),
  ...swapped('liquidity_supply', 'ReserveMismatch', { 'the transit account': (w) => w.transit }),
  ...swapped('reserve_program', 'ReserveMismatch', { 'the wallet program': () => PROGRAM_ID }),
  ...faulty('reserve', 'readonly', 'missing', 'foreign'),
  ...faulty('liquidity_supply', 'readonly'),
  ...faulty('collateral_mint', 'readonly'),
  ...another('ConstraintAddress', 'instructions_sysvar'),
];

/** The checks of both instructions up to their own rule, from the last to the first. */
export function checksOfYield(instructionBit: number, ...ownRule: Refusal[]): readonly Refusal[] {
  return [
    ['reserve', replaced('reserve_program', (w) => w.vault), 'ReserveMismatch', 'reserve_program'],
    [
      'transit account',
      replaced('transit_token_account', (w) => w.vault),
      'ConstraintAssociated',
      'transit_token_account',
    ],
    ...ownRule,
    ...firstChecksOfSpend('authority', instructionBit),
  ];
}
