import {
  ASSOCIATED_TOKEN_PROGRAM,
  type Deployment,
  INSTRUCTIONS_SYSVAR,
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

/**
 * Describes an instruction of the program for one owner: the values of its arguments, and the
 * addresses of the accounts that are not the owner's own. An account that is null is absent.
 */
export type DescribeInstruction = (
  name: InstructionName,
  values: Readonly<Record<string, ArgValue | null>>,
  further?: Readonly<Record<string, string | null>>,
) => ExpectedInstruction;

/** The instruction of the associated token program that succeeds when the account exists. */
const CREATE_IDEMPOTENT = 1;

/** For the owner of these addresses. */
export function createDescriber(
  { programId, usdcMint }: Deployment,
  addresses: OwnerAddresses,
): DescribeInstruction {
  const known: Readonly<Record<string, string>> = {
    owner: addresses.owner,
    authority: addresses.owner,
    vault: addresses.vault,
    vault_token_account: addresses.vaultUsdcAta,
    yield_authority: addresses.yieldAuthority,
    transit_token_account: addresses.yieldUsdcAta,
    usdc_mint: usdcMint,
    token_program: TOKEN_PROGRAM,
    associated_token_program: ASSOCIATED_TOKEN_PROGRAM,
    system_program: SYSTEM_PROGRAM,
    instructions_sysvar: INSTRUCTIONS_SYSVAR,
  };
  return (name, values, further = {}) => {
    const form: InstructionForm = PROGRAM_INSTRUCTIONS[name];
    return {
      name,
      programId,
      discriminator: form.discriminator,
      accounts: [
        ...form.accounts.map(([account, rights]) => {
          const address = further[account] ?? known[account] ?? '';
          // The program's address marks an absent account.
          return further[account] === null
            ? ({ name: account, address: programId, rights: 'readonly' } as const)
            : { name: account, address, rights };
        }),
        { name: 'event_authority', address: addresses.eventAuthority, rights: 'readonly' },
        { name: 'program', address: programId, rights: 'readonly' },
      ],
      args: form.args.map(([arg, type]) => expectArg(arg, type, values[arg] ?? null)),
    };
  };
}

/** Only these may be unknown: the program compares them with the chain. */
const UNKNOWN: ReadonlySet<string> = new Set(['session_index', 'collateral_amount']);

function expectArg(name: string, type: ExpectedArg['type'], value: ArgValue | null): ExpectedArg {
  if (name === 'deadline' && type === 'i64') return { name, type, rule: 'deadline' };
  if (value !== null) return { name, type, value };
  if (UNKNOWN.has(name) && type === 'u64') return { name, type, rule: 'any' };
  throw new Error(`${name} has no expected value`);
}

/** Creates a wallet's associated token account at the owner's expense; succeeds if it exists. */
export const createTokenAccount = (account: {
  readonly owner: string;
  readonly address: string;
  readonly mint: string;
  readonly tokenProgram: string;
}): ExpectedInstruction => ({
  name: 'create_token_account',
  programId: ASSOCIATED_TOKEN_PROGRAM,
  discriminator: [CREATE_IDEMPOTENT],
  accounts: [
    { name: 'payer', address: account.owner, rights: 'writable signer' },
    { name: 'token_account', address: account.address, rights: 'writable' },
    { name: 'wallet', address: account.owner, rights: 'readonly' },
    { name: 'mint', address: account.mint, rights: 'readonly' },
    { name: 'system_program', address: SYSTEM_PROGRAM, rights: 'readonly' },
    { name: 'token_program', address: account.tokenProgram, rights: 'readonly' },
  ],
  args: [],
});
