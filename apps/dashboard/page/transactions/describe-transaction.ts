import type { DecodedInstruction } from '@agent-wallet/sdk/owner';
import { amountText } from '../design/content/amount-text.ts';
import { momentText } from './moment-text.ts';

/** What a transaction does, in words for the person who signs it. */
export type TransactionWords = {
  /** One sentence for each instruction. */
  readonly sentences: readonly string[];
  /** What the sentences only count: addresses. */
  readonly addresses: readonly { readonly label: string; readonly values: readonly string[] }[];
  /** Unix seconds after which the program refuses the transaction; null where it has no deadline. */
  readonly deadline: number | null;
  /** What the owner deposits for accounts that it creates; it comes back when they are closed. */
  readonly depositLamports: number;
};

/** The network's deposit for an account of this many bytes. */
const depositFor = (bytes: number): number => (128 + bytes) * 6_960;
const TOKEN_ACCOUNT = depositFor(165);
/** At most, by the sizes of the accounts that an instruction creates. */
const DEPOSITS: Readonly<Record<string, number>> = {
  init_vault: depositFor(104) + TOKEN_ACCOUNT,
  init_yield: 2 * TOKEN_ACCOUNT,
  add_session: depositFor(696),
  create_token_account: TOKEN_ACCOUNT,
};

/** The amount by which an owner withdraws everything. */
const EVERYTHING = 2n ** 64n - 1n;

const TRANSFER = 1n;
const YIELD_DEPOSIT = 2n;
const YIELD_WITHDRAW = 4n;

/**
 * The words for a decoded transaction. Throws for an instruction without words: what the page cannot
 * describe is not to be signed.
 */
export function describeTransaction(
  instructions: readonly DecodedInstruction[],
  timeZone?: string,
): TransactionWords {
  const deadlines = instructions.flatMap(({ args }) =>
    typeof args['deadline'] === 'bigint' ? [Number(args['deadline'])] : [],
  );
  return {
    sentences: instructions.map((instruction) => sentenceOf(instruction, timeZone)),
    addresses: instructions.flatMap(addressesOf),
    deadline: deadlines.length === 0 ? null : Math.min(...deadlines),
    depositLamports: instructions.reduce((sum, { name }) => sum + (DEPOSITS[name] ?? 0), 0),
  };
}

function sentenceOf({ name, args }: DecodedInstruction, timeZone: string | undefined): string {
  const read = readArgs(name, args);
  switch (name) {
    case 'init_vault':
      return `Create your vault, ${deployedShare(read.integer('max_deployed_fraction_bp'))}.`;
    case 'init_yield':
      return 'Prepare the vault for the yield reserve.';
    case 'add_session':
      return `Create a session that ${powersOf(read, read.addresses('recipients').length, timeZone)}.`;
    case 'update_session_limits':
      return `Change the limits of session ${read.integer('session_index')}, so that it ${powersOf(read, null, timeZone)}. What it has spent in the last 24 hours still counts.`;
    case 'update_session_allowlist':
      return `Change the recipients of session ${read.integer('session_index')}, so that it ${recipientsOf(read.addresses('recipients').length)}.`;
    case 'revoke_session':
      return `Revoke session ${read.integer('session_index')}. Its agent can never spend again, and the deposit of its account comes back to you.`;
    case 'set_paused':
      return read.flag('paused')
        ? 'Pause the vault. No session can spend until you resume.'
        : 'Resume the vault. All live sessions can spend again within their limits.';
    case 'set_max_deployed_fraction':
      return `Change the vault, ${deployedShare(read.integer('max_deployed_fraction_bp'))}.`;
    case 'owner_withdraw':
      return `Withdraw ${amountOf(read.integer('amount'))} from the vault to your own USDC account.`;
    case 'create_token_account':
      return 'Create your own USDC account, if it does not exist yet.';
    case 'yield_deposit':
      return `Move ${amountOf(read.integer('amount'))} from the vault into the yield reserve.`;
    case 'yield_withdraw':
      return `Move ${amountOf(read.integer('amount'))} from the yield reserve back into the vault.`;
    default:
      throw new Error(`this page has no words for the instruction ${name}`);
  }
}

function addressesOf({ name, args }: DecodedInstruction): TransactionWords['addresses'] {
  if (name !== 'add_session' && name !== 'update_session_allowlist') return [];
  const values = readArgs(name, args).addresses('recipients');
  return values.length === 0 ? [] : [{ label: 'Recipients', values }];
}

type Args = ReturnType<typeof readArgs>;

/** The limits of a session; without `recipients` they stay as they are. */
function powersOf(read: Args, recipients: number | null, timeZone: string | undefined): string {
  const bits = read.integer('allowed_instructions');
  const until = `until ${momentText(Number(read.integer('expiry')), timeZone)}`;
  const yieldMoves = [
    (bits & YIELD_DEPOSIT) === 0n ? null : 'into the yield reserve',
    (bits & YIELD_WITHDRAW) === 0n ? null : 'out of the yield reserve',
  ].filter((direction) => direction !== null);
  const parts = [
    (bits & TRANSFER) === 0n
      ? 'may pay nobody'
      : `may pay at most ${amountOf(read.integer('max_per_tx'))} per payment and ` +
        `${amountOf(read.integer('daily_cap'))} in 24 hours` +
        (recipients === null ? '' : `, ${recipientCount(recipients)}`),
    ...(yieldMoves.length === 0 ? [] : [`may move the vault’s money ${yieldMoves.join(' and ')}`]),
  ];
  return `${parts.join(', and ')}, ${until}`;
}

const recipientCount = (count: number): string =>
  count === 0
    ? 'to nobody yet, because it has no recipients'
    : `to ${count} ${count === 1 ? 'recipient' : 'recipients'}`;

const recipientsOf = (count: number): string =>
  count === 0 ? 'can pay nobody' : `can pay only the ${count === 1 ? 'one' : count} below`;

const deployedShare = (basisPoints: bigint): string =>
  basisPoints === 0n
    ? 'none of which may be deployed to the yield reserve'
    : `of which at most ${Number(basisPoints) / 100} % may be deployed to the yield reserve`;

const amountOf = (baseUnits: bigint): string =>
  baseUnits === EVERYTHING ? 'all USDC' : `${amountText(baseUnits)} USDC`;

/** Arguments by their type; throws for one that is missing or of another type. */
function readArgs(instruction: string, args: DecodedInstruction['args']) {
  const wrong = (name: string) => new Error(`${instruction} has no ${name} of the expected type`);
  return {
    integer: (name: string): bigint => {
      const value = args[name];
      if (typeof value !== 'bigint') throw wrong(name);
      return value;
    },
    flag: (name: string): boolean => {
      const value = args[name];
      if (typeof value !== 'boolean') throw wrong(name);
      return value;
    },
    addresses: (name: string): readonly string[] => {
      const value = args[name];
      if (typeof value !== 'object') throw wrong(name);
      return value;
    },
  };
}
