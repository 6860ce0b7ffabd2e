import type { Account, Session, Tokens, Vault } from '../world/account.ts';
import type { Call } from '../step.ts';
import type { Id, Universe } from '../world/universe.ts';
import type { Flags } from '../chain/wire.ts';

/** The state of the chain that the design prescribes. */
export type Model = {
  readonly accounts: Map<Id, Account>;
  now: bigint;
  slot: bigint;
};

/** An instruction to be judged, with its surroundings. */
export type Scene = {
  readonly model: Model;
  readonly universe: Universe;
  readonly flags: Flags;
  readonly call: Call;
  /** The address given for a role. */
  readonly at: (role: string) => Id;
};

/**
 * The acceptable errors, each with the program that returns it; several where the design does not
 * fix their order. Null when nothing is wrong.
 */
export type Refusal = ReadonlySet<string> | null;

/** The results of several checks: an error's code, or null or false where nothing is wrong. */
export type Problems = readonly (number | null | false)[];

/** Owner of accounts that the model ignores. */
export const OUTSIDE: Id = -1;

/** The errors of one phase of checks; null when there are none. */
export function refusalOf(...codes: Problems): Refusal {
  const wrong = codes.filter((code) => code !== null && code !== false);
  return wrong.length === 0 ? null : new Set(wrong.map((code) => `wallet ${code}`));
}

export function accountAt({ model }: Scene, id: Id): Account | undefined {
  return model.accounts.get(id);
}

/** The account's data as a vault, at any address and of any owner. */
export function vaultAt(scene: Scene, id: Id): Vault | undefined {
  const data = accountAt(scene, id)?.data;
  return data?.kind === 'vault' ? data : undefined;
}

export function sessionAt(scene: Scene, id: Id): Session | undefined {
  const data = accountAt(scene, id)?.data;
  return data?.kind === 'session' ? data : undefined;
}

export function tokensAt(scene: Scene, id: Id): Tokens | undefined {
  const data = accountAt(scene, id)?.data;
  return data?.kind === 'tokens' ? data : undefined;
}

/** 3012 for a missing account, with or without dust; 3007 for one of another program. */
export function ownerProblem(scene: Scene, id: Id, program: Id): number | null {
  const account = accountAt(scene, id);
  const { system } = scene.universe.fixed;
  if (account === undefined) return 3012;
  if (account.owner === program) return null;
  return account.owner === system && account.data.kind === 'empty' ? 3012 : 3007;
}

/** The error unless it is a complete account of the program and of that kind. */
function kindProblem(scene: Scene, id: Id, kind: 'vault' | 'session'): number | null {
  const problem = ownerProblem(scene, id, scene.universe.fixed.program);
  if (problem !== null) return problem;
  const data = accountAt(scene, id)?.data;
  if (data?.kind === kind) return null;
  return data?.kind === 'bytes' && data.beginsLike === kind ? 3003 : 3002;
}

/** Only the program creates whole vaults, each at its derived address. */
export function vaultProblem(scene: Scene, id: Id): number | null {
  return kindProblem(scene, id, 'vault');
}

/** Like {@link vaultProblem}; 2001 for a session of another vault than `vault`. */
export function sessionProblem(scene: Scene, id: Id, vault: Id): number | null {
  const problem = kindProblem(scene, id, 'session');
  if (problem !== null) return problem;
  return sessionAt(scene, id)?.vault === vault ? null : 2001;
}

/** Errors of a vault that its owner must have signed for, and of the fixed accounts. */
export function ownerProblems(scene: Scene): Problems {
  const [owner, vault] = [scene.at('owner'), scene.at('vault')];
  const problem = vaultProblem(scene, vault);
  return [
    !scene.flags.signer(owner) && 3010,
    problem,
    problem === null && vaultAt(scene, vault)?.owner !== owner && 2001,
    ...fixedProblems(scene),
  ];
}

/** The program refuses an instruction after its deadline, for a session key and for the owner. */
export function deadlineRefusal({ model, call: { args } }: Scene): Refusal {
  return refusalOf(model.now > args.deadline && 6106);
}

/** True without an account of a program; lamports alone do not count. */
export function isMissing(scene: Scene, id: Id): boolean {
  const account = accountAt(scene, id);
  return account === undefined || account.owner === scene.universe.fixed.system;
}

export function writableProblem({ flags }: Scene, id: Id): number | null {
  return flags.writable(id) ? null : 2000;
}

/** Errors of a token account of `wallet` for `mint`, of the classic token program by default. */
export function tokensProblems(
  scene: Scene,
  id: Id,
  wallet: Id,
  mint: Id,
  program: Id = scene.universe.fixed.tokenProgram,
): Problems {
  const problem = ownerProblem(scene, id, program);
  if (problem !== null) return [problem];
  const tokens = tokensAt(scene, id);
  if (tokens === undefined) return [3003];
  return [tokens.mint !== mint && 2014, tokens.owner !== wallet && 2015];
}

/** Also requires no delegate, no close authority, and that it is not frozen. */
export function ownTokensProblems(scene: Scene, id: Id, wallet: Id, mint: Id): Problems {
  const tokens = tokensAt(scene, id);
  return [
    ...tokensProblems(scene, id, wallet, mint),
    tokens?.frozen === true && 6152,
    tokens !== undefined && tokens.delegate !== null && 6150,
    tokens !== undefined && tokens.closeAuthority !== null && 6151,
  ];
}

/** Errors of the vault's token account, which must be writable and the one the vault names. */
export function vaultTokensProblems(scene: Scene, vault: Id): Problems {
  const id = scene.at('vault_token_account');
  const expected = vaultAt(scene, vault)?.vaultTokens;
  if (id !== expected) return [writableProblem(scene, id), 2009];
  const { fixed } = scene.universe;
  return [writableProblem(scene, id), ...tokensProblems(scene, id, vault, fixed.usdc)];
}

/** Errors of the address of `wallet`'s associated token account, and of its writable flag. */
export function associatedProblems(scene: Scene, id: Id, wallet: Id, mint: Id): Problems {
  const expected = scene.universe.tokensOf(wallet, mint);
  return [writableProblem(scene, id), id !== expected && 2009];
}

/** Errors of the accounts whose address is the same in every call. */
export function fixedProblems(scene: Scene): Problems {
  const { fixed } = scene.universe;
  const expected: Readonly<Record<string, readonly [Id, number]>> = {
    usdc_mint: [fixed.usdc, 2012],
    token_program: [fixed.tokenProgram, 3008],
    associated_token_program: [fixed.associatedTokenProgram, 3008],
    system_program: [fixed.system, 3008],
    event_authority: [fixed.eventAuthority, 2006],
    program: [fixed.program, 3008],
  };
  return scene.call.metas.map(({ role, id }) => {
    // A sweep is of either token program.
    const isSweep = scene.call.name === 'sweep_token_account';
    if (isSweep && role === 'token_program' && id === fixed.token2022) return false;
    const [address, code] = expected[role] ?? [id, 0];
    return id !== address && code;
  });
}

/** Closes the account; its lamports go to `to`. */
export function empty(scene: Scene, id: Id, to: Id): void {
  const [from, receiver] = [accountAt(scene, id), accountAt(scene, to)];
  if (from === undefined || receiver === undefined) throw new Error('an account is missing');
  receiver.lamports += from.lamports;
  scene.model.accounts.delete(id);
}

/** Requires that both accounts are thawed and the balance suffices. */
export function moveRefusal(scene: Scene, from: Id, to: Id, amount: bigint): Refusal {
  const [source, destination] = [tokensAt(scene, from), tokensAt(scene, to)];
  if (source === undefined || destination === undefined) return new Set(['token ?']);
  const wrong = new Set<string>();
  const program = tokenProgramName(scene, from);
  if (source.frozen || destination.frozen) wrong.add(`${program} 17`);
  if (source.amount < amount) wrong.add(`${program} 1`);
  return wrong.size === 0 ? null : wrong;
}

/** Moves tokens unless {@link moveRefusal} refuses. */
export function moveTokens(scene: Scene, from: Id, to: Id, amount: bigint): Refusal {
  const refusal = moveRefusal(scene, from, to, amount);
  const [giver, taker] = [accountAt(scene, from), accountAt(scene, to)];
  if (refusal !== null || giver?.data.kind !== 'tokens' || taker?.data.kind !== 'tokens') {
    return refusal;
  }
  giver.data.amount -= amount;
  taker.data.amount += amount;
  if (giver.data.native) {
    giver.lamports -= amount;
    taker.lamports += amount;
  }
  return null;
}

/** The name of the token program in an error. */
export function tokenProgramName(scene: Scene, tokens: Id): string {
  const isNew = accountAt(scene, tokens)?.owner === scene.universe.fixed.token2022;
  return isNew ? 'token2022' : 'token';
}
