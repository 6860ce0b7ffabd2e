import idl from '../idl/agent_wallet.json' with { type: 'json' };
import reserveIdl from '../idl/reserve_sandbox.json' with { type: 'json' };
import type { Id, Universe } from './world/universe.ts';

/** Values of all arguments; an instruction uses those that its IDL lists. */
export type Args = {
  readonly amount: bigint;
  readonly collateral_amount: bigint;
  readonly spend_seq: bigint;
  readonly session_index: bigint;
  readonly next_session_index: bigint;
  readonly session_pubkey: Id;
  readonly max_per_tx: bigint;
  readonly daily_cap: bigint;
  readonly expiry: bigint;
  readonly allowed_instructions: number;
  readonly recipients: readonly Id[];
  readonly max_deployed_fraction_bp: number;
  readonly paused: boolean;
  readonly deadline: bigint;
  readonly recipient_bump: number;
  readonly close: boolean;
  /** Of the sandbox reserve. */
  readonly basis_points: bigint;
};

export const NO_ARGS: Args = {
  amount: 0n,
  collateral_amount: 0n,
  spend_seq: 0n,
  session_index: 0n,
  next_session_index: 0n,
  session_pubkey: 0,
  max_per_tx: 0n,
  daily_cap: 0n,
  expiry: 0n,
  allowed_instructions: 0,
  recipients: [],
  max_deployed_fraction_bp: 0,
  paused: false,
  deadline: 0n,
  recipient_bump: 0,
  close: false,
  basis_points: 0n,
};

export type Meta = {
  readonly role: string;
  readonly id: Id;
  readonly signer: boolean;
  readonly writable: boolean;
};

/** One instruction of a transaction. */
export type Call = {
  readonly program: 'wallet' | 'reserve' | 'system' | 'token';
  readonly name: string;
  readonly args: Args;
  /** For a transfer of lamports or tokens by others, the roles `from`, `to` and `authority`. */
  readonly metas: readonly Meta[];
  /** The defect of the encoded arguments. */
  readonly bytes: 'whole' | 'cut' | 'longer' | 'unknown instruction';
};

/** A change of an account by a third party or by the test. */
export type Change =
  | { readonly to: 'mint'; readonly amount: bigint }
  | { readonly to: 'prefund'; readonly lamports: bigint }
  | { readonly to: 'close' }
  | {
      readonly to: 'open tokens';
      readonly wallet: Id;
      readonly mint: Id;
      readonly amount: bigint;
    }
  | { readonly to: 'freeze' | 'thaw' }
  | { readonly to: 'delegate'; readonly delegate: Id | null }
  | { readonly to: 'close authority'; readonly authority: Id | null }
  /** A loss of the reserve: its borrowers do not repay. */
  | { readonly to: 'default'; readonly amount: bigint }
  /** Takes the reserve away from its program, or gives it back. */
  | { readonly to: 'reassign'; readonly owner: Id }
  | { readonly to: 'give away'; readonly wallet: Id }
  | { readonly to: 'forge'; readonly from: Id; readonly owner: Id; readonly length: number };

/** A self-contained step, so that any part of a sequence can run by itself. */
export type Step =
  | { readonly do: 'send'; readonly calls: readonly Call[] }
  | { readonly do: 'clock'; readonly to: bigint }
  | { readonly do: 'change'; readonly id: Id; readonly change: Change };

type Definition = {
  readonly name: string;
  readonly discriminator: readonly number[];
  readonly args: readonly { readonly name: string; readonly type: unknown }[];
  readonly accounts: readonly {
    readonly name: string;
    readonly signer?: boolean;
    readonly writable?: boolean;
  }[];
};

const definitions = new Map<string, Definition>([
  ...idl.instructions.map((one): [string, Definition] => [`wallet ${one.name}`, one]),
  ...reserveIdl.instructions.map((one): [string, Definition] => [`reserve ${one.name}`, one]),
]);

export const WALLET_INSTRUCTIONS: readonly string[] = idl.instructions.map(({ name }) => name);

export function definitionOf(call: Pick<Call, 'program' | 'name'>): Definition {
  const definition = definitions.get(`${call.program} ${call.name}`);
  if (definition === undefined) throw new Error(`no instruction ${call.program} ${call.name}`);
  return definition;
}

/** Whether an owner signs rather than a session; the program's own address stands for none. */
export function isByOwner({ metas }: Call, { fixed }: Universe): boolean {
  return metas.some(
    ({ role, id }) => role === 'owner' || (role === 'session' && id === fixed.program),
  );
}

/** The accounts of an instruction in the order of its IDL, with its flags. */
export function metasOf(
  call: Pick<Call, 'program' | 'name'>,
  places: Readonly<Record<string, Id>>,
): readonly Meta[] {
  return definitionOf(call).accounts.map(({ name: role, signer = false, writable = false }) => {
    const id = places[role];
    if (id === undefined) throw new Error(`no account for ${role}`);
    return { role, id, signer, writable };
  });
}

/** A step in readable form. */
export function formatStep(step: Step, { names }: Universe): string {
  const name = (id: Id): string => names[id] ?? String(id);
  switch (step.do) {
    case 'clock':
      return `clock ${step.to}`;
    case 'change': {
      const { to, ...rest } = step.change;
      const details = Object.entries(rest).map(
        ([key, value]) =>
          `${key} ${typeof value === 'number' && key !== 'length' ? name(value) : value}`,
      );
      return `${to} ${name(step.id)} ${details.join(', ')}`.trim();
    }
    case 'send':
      return step.calls.map((call) => formatCall(call, name)).join('\n    + ');
    default:
      return step satisfies never;
  }
}

function formatCall(call: Call, name: (id: Id) => string): string {
  const metas = call.metas.map(
    ({ role, id, signer, writable }) =>
      `${role}=${name(id)}${signer ? '!' : ''}${writable ? '*' : ''}`,
  );
  if (call.program === 'system' || call.program === 'token') {
    return `${call.program} transfer ${metas.join(' ')} of ${call.args.amount}`;
  }
  const args = definitionOf(call)
    .args.filter((arg) => arg.name !== 'spend_id')
    .map((arg) => `${arg.name} ${formatArgument(call.args, arg.name, name)}`);
  const bytes = call.bytes === 'whole' ? '' : ` [${call.bytes}]`;
  return `${call.name}(${args.join(', ')})${bytes} ${metas.join(' ')}`;
}

function formatArgument(args: Args, key: string, name: (id: Id) => string): string {
  if (key === 'recipients') return `[${args.recipients.map(name).join(' ')}]`;
  if (key === 'session_pubkey') return name(args.session_pubkey);
  return String(new Map<string, unknown>(Object.entries(args)).get(argumentKey(key)));
}

/** The key of an argument; the sandbox reserve has its own names for amounts. */
export function argumentKey(name: string): string {
  return name === 'liquidity_amount' || name === 'deposit_limit' ? 'amount' : name;
}
