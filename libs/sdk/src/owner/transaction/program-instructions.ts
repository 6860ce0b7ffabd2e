/**
 * The instructions that owners are given to sign, in the form of the program's IDL. A test compares
 * them with the IDL, which is too large for a page.
 */
import type { ExpectedArg, Rights } from './expected-instruction.ts';

export type InstructionForm = {
  readonly discriminator: readonly number[];
  /** Without the two accounts that every instruction has last. */
  readonly accounts: readonly (readonly [name: string, rights: Rights])[];
  readonly args: readonly (readonly [name: string, type: ExpectedArg['type']])[];
};

const OWNER_PAYS = ['owner', 'writable signer'] as const;
const OWNER_SIGNS = ['owner', 'signer'] as const;
const VAULT = ['vault', 'readonly'] as const;
const CHANGED_VAULT = ['vault', 'writable'] as const;
const SESSION = ['session', 'writable'] as const;
const VAULT_USDC = ['vault_token_account', 'writable'] as const;
const MINT = ['usdc_mint', 'readonly'] as const;
const TOKEN = ['token_program', 'readonly'] as const;
const ASSOCIATED_TOKEN = ['associated_token_program', 'readonly'] as const;
const SYSTEM = ['system_program', 'readonly'] as const;

const LIMITS = [
  ['max_per_tx', 'u64'],
  ['daily_cap', 'u64'],
  ['expiry', 'i64'],
  ['allowed_instructions', 'u16'],
] as const;
const INDEX = ['session_index', 'u64'] as const;
const DEADLINE = ['deadline', 'i64'] as const;
const FRACTION = ['max_deployed_fraction_bp', 'u16'] as const;
const AMOUNT = ['amount', 'u64'] as const;
const OWNER_ACCOUNT = ['owner_token_account', 'writable'] as const;

/** Of a deposit to the reserve and a withdrawal from it. */
const YIELD = [
  ['authority', 'signer'],
  CHANGED_VAULT,
  SESSION,
  VAULT_USDC,
  ['yield_authority', 'readonly'],
  ['transit_token_account', 'writable'],
  ['collateral_token_account', 'writable'],
  ['reserve', 'writable'],
  ['lending_market', 'readonly'],
  ['lending_market_authority', 'readonly'],
  ['liquidity_supply', 'writable'],
  ['collateral_mint', 'writable'],
  MINT,
  TOKEN,
  ['instructions_sysvar', 'readonly'],
  ['reserve_program', 'readonly'],
] as const;
const SPEND = [['spend_seq', 'u64'], INDEX, ['spend_id', 'bytes16'], DEADLINE] as const;

export const PROGRAM_INSTRUCTIONS = {
  init_vault: {
    discriminator: [77, 79, 85, 150, 33, 217, 52, 106],
    accounts: [OWNER_PAYS, CHANGED_VAULT, VAULT_USDC, MINT, TOKEN, ASSOCIATED_TOKEN, SYSTEM],
    args: [FRACTION, DEADLINE],
  },
  init_yield: {
    discriminator: [19, 1, 6, 165, 207, 249, 41, 255],
    accounts: [
      OWNER_PAYS,
      CHANGED_VAULT,
      ['yield_authority', 'readonly'],
      ['transit_token_account', 'writable'],
      ['collateral_token_account', 'writable'],
      MINT,
      ['collateral_mint', 'readonly'],
      TOKEN,
      ASSOCIATED_TOKEN,
      SYSTEM,
    ],
    args: [],
  },
  add_session: {
    discriminator: [229, 94, 25, 193, 132, 13, 55, 188],
    accounts: [OWNER_PAYS, CHANGED_VAULT, SESSION, SYSTEM],
    args: [['session_pubkey', 'pubkey'], ...LIMITS, ['recipients', 'pubkeys'], INDEX, DEADLINE],
  },
  update_session_allowlist: {
    discriminator: [128, 232, 77, 125, 8, 70, 169, 225],
    accounts: [OWNER_SIGNS, VAULT, SESSION],
    args: [['recipients', 'pubkeys'], INDEX, DEADLINE],
  },
  update_session_limits: {
    discriminator: [162, 98, 95, 240, 99, 205, 56, 213],
    accounts: [OWNER_SIGNS, VAULT, SESSION],
    args: [...LIMITS, INDEX, DEADLINE],
  },
  revoke_session: {
    discriminator: [86, 92, 198, 120, 144, 2, 7, 194],
    accounts: [OWNER_PAYS, CHANGED_VAULT, SESSION],
    args: [INDEX],
  },
  set_paused: {
    discriminator: [91, 60, 125, 192, 176, 225, 166, 218],
    accounts: [OWNER_SIGNS, CHANGED_VAULT],
    args: [['paused', 'bool'], DEADLINE],
  },
  owner_withdraw: {
    discriminator: [138, 172, 103, 228, 254, 96, 114, 178],
    accounts: [OWNER_SIGNS, VAULT, VAULT_USDC, OWNER_ACCOUNT, MINT, TOKEN],
    args: [AMOUNT],
  },
  set_max_deployed_fraction: {
    discriminator: [234, 221, 96, 252, 88, 152, 174, 54],
    accounts: [OWNER_SIGNS, CHANGED_VAULT],
    args: [FRACTION, DEADLINE],
  },
  yield_deposit: {
    discriminator: [197, 128, 119, 222, 188, 102, 165, 63],
    accounts: YIELD,
    args: [AMOUNT, ...SPEND],
  },
  yield_withdraw: {
    discriminator: [225, 135, 226, 199, 89, 96, 95, 196],
    accounts: YIELD,
    args: [AMOUNT, ['collateral_amount', 'u64'], ...SPEND],
  },
} as const satisfies Record<string, InstructionForm>;

export type InstructionName = keyof typeof PROGRAM_INSTRUCTIONS;
