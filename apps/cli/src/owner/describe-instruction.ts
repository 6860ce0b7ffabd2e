import { type DecodedInstruction, formatUsdc } from '@agent-wallet/sdk/owner';

type Args = DecodedInstruction['args'];

const EVERYTHING = 2n ** 64n - 1n;
const BITS = [
  [1, 'transfers'],
  [2, 'yield deposits'],
  [4, 'yield withdrawals'],
] as const;

/** What an instruction does, from its decoded arguments. */
export function describeInstruction({ name, args }: DecodedInstruction): string {
  const words = WORDS[name]?.(args);
  if (words !== undefined) return words;
  const shown = Object.entries(args).map(([arg, value]) => `${arg} ${String(value)}`);
  return [name, ...shown].join(', ');
}

/** The kinds of spends that a session's bits allow. */
export function kindsOf(bits: number): string {
  const names = BITS.filter(([bit]) => (bits & bit) !== 0).map(([, text]) => text);
  return names.length === 0 ? 'nothing' : names.join(', ');
}

/** A time of the chain, in unix seconds. */
export const timeOf = (seconds: number | bigint): string =>
  new Date(Number(seconds) * 1_000).toISOString().replace('.000Z', 'Z');

/** Basis points as a percentage. */
export const percentOf = (basisPoints: number | bigint): string => `${Number(basisPoints) / 100} %`;

const WORDS: Readonly<Record<string, (args: Args) => string>> = {
  init_vault: (args) =>
    `create your vault, of which at most ${percentOf(integer(args, 'max_deployed_fraction_bp'))} may be deployed to the yield reserve`,
  init_yield: () => 'prepare the vault for the yield reserve',
  add_session: (args) =>
    `create session ${integer(args, 'session_index')} with ${limitsOf(args)}; recipients: ${recipientsOf(args)}`,
  update_session_limits: (args) =>
    `give session ${integer(args, 'session_index')} ${limitsOf(args)}`,
  update_session_allowlist: (args) =>
    `let session ${integer(args, 'session_index')} pay only: ${recipientsOf(args)}`,
  revoke_session: (args) => `revoke session ${integer(args, 'session_index')} for good`,
  set_paused: (args) =>
    args['paused'] === true
      ? 'pause the vault, so that no session can spend'
      : 'resume the vault, so that live sessions can spend again',
  set_max_deployed_fraction: (args) =>
    `let sessions deploy at most ${percentOf(integer(args, 'max_deployed_fraction_bp'))} of the balance to the yield reserve`,
  create_token_account: () => 'create your own USDC token account, unless it exists',
  owner_withdraw: (args) => `withdraw ${amountOf(args)} of the vault to your USDC token account`,
  yield_deposit: (args) => `deposit ${amountOf(args)} of the vault to the yield reserve`,
  yield_withdraw: (args) => `withdraw ${amountOf(args)} from the yield reserve to the vault`,
};

function integer(args: Args, name: string): bigint {
  const value = args[name];
  if (typeof value === 'bigint') return value;
  throw new Error(`the instruction has no ${name}`);
}

const amountOf = (args: Args): string => {
  const amount = integer(args, 'amount');
  return amount === EVERYTHING ? 'all USDC' : `${formatUsdc(amount)} USDC`;
};

const limitsOf = (args: Args): string =>
  [
    `at most ${formatUsdc(integer(args, 'max_per_tx'))} USDC in one payment`,
    `${formatUsdc(integer(args, 'daily_cap'))} USDC in any 24 hours`,
    `until ${timeOf(integer(args, 'expiry'))}`,
    `for ${kindsOf(Number(integer(args, 'allowed_instructions')))}`,
  ].join(', ');

function recipientsOf(args: Args): string {
  const list = args['recipients'];
  const recipients = typeof list === 'object' ? list : [];
  return recipients.length === 0 ? 'nobody' : recipients.join(', ');
}
