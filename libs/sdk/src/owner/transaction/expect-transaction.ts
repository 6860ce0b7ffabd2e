import {
  ASSOCIATED_TOKEN_PROGRAM,
  type Deployment,
  type OwnerAddresses,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './addresses.ts';
import type { ArgValue, ExpectedArg, ExpectedInstruction } from './expected-instruction.ts';
import {
  type InstructionForm,
  type InstructionName,
  PROGRAM_INSTRUCTIONS,
} from './program-instructions.ts';

/** The amount by which an owner withdraws all there is. */
const EVERYTHING = 2n ** 64n - 1n;
/** The instruction of the associated token program that succeeds when the account exists. */
const CREATE_IDEMPOTENT = 1;

/** All limits of a session. Amounts are base units, `expiry` unix seconds. */
export type SessionLimits = {
  readonly max_per_tx: bigint;
  readonly daily_cap: bigint;
  readonly expiry: number;
  /** A sum of 1 (transfer), 2 (yield deposit) and 4 (yield withdraw), or 0. */
  readonly allowed_instructions: number;
};

/** A session on chain: at its derived address, with its index where that is known. */
export type ExpectedSession = { readonly pda: string; readonly index: bigint | null };

/** The addresses of the accounts that yield needs, and their mint. */
export type YieldAccounts = { readonly collateralMint: string; readonly collateralAta: string };

/** What each transaction of an owner must contain. */
export type Expectations = {
  /** With `yieldAccounts` the transaction prepares the vault for yield as well. */
  initVault(bp: number, yieldAccounts: YieldAccounts | null): readonly ExpectedInstruction[];
  addSession(
    session: ExpectedSession & { readonly pubkey: string },
    limits: SessionLimits,
    recipients: readonly string[],
  ): readonly ExpectedInstruction[];
  updateLimits(session: ExpectedSession, limits: SessionLimits): readonly ExpectedInstruction[];
  updateRecipients(
    session: ExpectedSession,
    recipients: readonly string[],
  ): readonly ExpectedInstruction[];
  revokeSession(session: ExpectedSession): readonly ExpectedInstruction[];
  setPaused(paused: boolean): readonly ExpectedInstruction[];
  /** Without a destination to the owner's associated token account, which is created if missing. */
  withdraw(amount: bigint | 'all', destination: string | null): readonly ExpectedInstruction[];
};

export function createExpectations(
  { programId, usdcMint }: Deployment,
  addresses: OwnerAddresses,
): Expectations {
  const { owner, ownerUsdcAta } = addresses;
  const known: Readonly<Record<string, string>> = {
    owner,
    vault: addresses.vault,
    vault_token_account: addresses.vaultUsdcAta,
    yield_authority: addresses.yieldAuthority,
    transit_token_account: addresses.yieldUsdcAta,
    usdc_mint: usdcMint,
    token_program: TOKEN_PROGRAM,
    associated_token_program: ASSOCIATED_TOKEN_PROGRAM,
    system_program: SYSTEM_PROGRAM,
  };

  function instruction(
    name: InstructionName,
    values: Readonly<Record<string, ArgValue | null>>,
    further: Readonly<Record<string, string>> = {},
  ): ExpectedInstruction {
    const form: InstructionForm = PROGRAM_INSTRUCTIONS[name];
    return {
      name,
      programId,
      discriminator: form.discriminator,
      accounts: [
        ...form.accounts.map(([account, rights]) => ({
          name: account,
          address: further[account] ?? known[account] ?? '',
          rights,
        })),
        { name: 'event_authority', address: addresses.eventAuthority, rights: 'readonly' },
        { name: 'program', address: programId, rights: 'readonly' },
      ],
      args: form.args.map(([arg, type]) => expectArg(arg, type, values[arg] ?? null)),
    };
  }

  const createOwnerAccount: ExpectedInstruction = {
    name: 'create_token_account',
    programId: ASSOCIATED_TOKEN_PROGRAM,
    discriminator: [CREATE_IDEMPOTENT],
    accounts: [
      { name: 'payer', address: owner, rights: 'writable signer' },
      { name: 'token_account', address: ownerUsdcAta, rights: 'writable' },
      { name: 'wallet', address: owner, rights: 'readonly' },
      { name: 'mint', address: usdcMint, rights: 'readonly' },
      { name: 'system_program', address: SYSTEM_PROGRAM, rights: 'readonly' },
      { name: 'token_program', address: TOKEN_PROGRAM, rights: 'readonly' },
    ],
    args: [],
  };

  return {
    initVault: (bp, yieldAccounts) => [
      instruction('init_vault', { max_deployed_fraction_bp: BigInt(bp) }),
      ...(yieldAccounts === null
        ? []
        : [
            instruction(
              'init_yield',
              {},
              {
                collateral_mint: yieldAccounts.collateralMint,
                collateral_token_account: yieldAccounts.collateralAta,
              },
            ),
          ]),
    ],
    addSession: ({ pda, index, pubkey }, limits, recipients) => [
      instruction(
        'add_session',
        { ...limitsArgs(limits), session_pubkey: pubkey, recipients, session_index: index },
        { session: pda },
      ),
    ],
    updateLimits: ({ pda, index }, limits) => [
      instruction(
        'update_session_limits',
        { ...limitsArgs(limits), session_index: index },
        { session: pda },
      ),
    ],
    updateRecipients: ({ pda, index }, recipients) => [
      instruction(
        'update_session_allowlist',
        { recipients, session_index: index },
        { session: pda },
      ),
    ],
    revokeSession: ({ pda, index }) => [
      instruction('revoke_session', { session_index: index }, { session: pda }),
    ],
    setPaused: (paused) => [instruction('set_paused', { paused })],
    withdraw: (amount, destination) => {
      const to = destination ?? ownerUsdcAta;
      const baseUnits = amount === 'all' ? EVERYTHING : amount;
      const further = { owner_token_account: to };
      return [
        ...(to === ownerUsdcAta ? [createOwnerAccount] : []),
        instruction('owner_withdraw', { amount: baseUnits }, further),
      ];
    },
  };
}

const limitsArgs = (limits: SessionLimits): Readonly<Record<string, ArgValue>> => ({
  max_per_tx: limits.max_per_tx,
  daily_cap: limits.daily_cap,
  expiry: BigInt(limits.expiry),
  allowed_instructions: BigInt(limits.allowed_instructions),
});

/** Only an index may be unknown: the program compares it with the one on chain. */
function expectArg(name: string, type: ExpectedArg['type'], value: ArgValue | null): ExpectedArg {
  if (name === 'deadline' && type === 'i64') return { name, type, rule: 'deadline' };
  if (value !== null) return { name, type, value };
  if (name === 'session_index' && type === 'u64') return { name, type, rule: 'any' };
  throw new Error(`${name} has no expected value`);
}
