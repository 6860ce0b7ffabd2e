import { setTimeout as delay } from 'node:timers/promises';
import {
  type FailedStep,
  type Holdings,
  type LeavePlan,
  type LeaveStep,
  openRpcPool,
  OWNER_DEADLINE_MINUTES,
  ownerDeadline,
  planLeaving,
  programOfVault,
  readHoldings,
  reserveOnChain,
  type Rpc,
  type RpcPool,
  stepInstructions,
  type WalletProgram,
} from '@agent-wallet/chain';
import { Keypair } from '@solana/web3.js';
import { CliError, EXIT } from '../cli-error.ts';
import type { Context } from '../command-line/add-command.ts';
import { done, type Outcome } from '../command-line/outcome.ts';
import { readKeypairFile } from '../keypair-file.ts';
import { holdingLines, remainderText, solOf, stepText } from './describe-exit.ts';
import { sendStep, type StepOutcome } from './send-step.ts';

/** The options of `exit`. */
export type ExitInput = {
  readonly keypair: string;
  /** One or more RPC nodes. */
  readonly rpc: readonly string[];
  readonly program: string;
  /** Lists what there is and what would be done. */
  readonly dryRun: boolean;
  /** Receives collateral of the yield reserve instead of redeeming it. */
  readonly collateralInKind: boolean;
};

type Reserve = NonNullable<ReturnType<typeof reserveOnChain>>;
type Leaving = {
  readonly rpc: Rpc;
  readonly program: WalletProgram;
  readonly reserve: Reserve;
  readonly keypair: Keypair;
  readonly owner: string;
  readonly inKind: boolean;
};

/** A step that was tried. */
type TriedStep = {
  readonly step: string;
  readonly outcome: StepOutcome['kind'];
  readonly tx_signature: string | null;
};

const RPC_TIMEOUT_MS = 20_000;
/** A fee, and the rent that the owner's own account must keep. */
const LEAST_LAMPORTS = 5_000n + 890_880n;
/** Tries count as well. Far more than anybody needs who was not sent spam. */
const MOST_STEPS = 500;
const SEND_TRIES = 3;
const READ_TRIES = 5;
const READ_AGAIN_MS = 500;
const NO_FUNDS = /insufficient lamports|InsufficientFundsFor|"AccountNotFound"/;
const PASSED_DEADLINE = /DeadlinePassed/;

/**
 * `exit`: takes everything of an owner out of the vault and closes it, with nothing but a node and
 * the owner's key. Prints what it finds, asks, and prints each step. The exit code is 1 when something
 * stays. Throws a CliError when it cannot begin or go on.
 */
export async function exitCommand(input: ExitInput, context: Context): Promise<Outcome> {
  const { address, secretKey } = readKeypairFile(input.keypair);
  await using pool = await openRpcPool({ urls: input.rpc, timeoutMs: RPC_TIMEOUT_MS });
  const leaving = await open(pool, input, { owner: address, secretKey });
  const holdings = await readAtLeast(leaving, 0n);
  if (holdings === null) throw noVault(address, input.program);
  const vault = leaving.program.addresses.vaultPda(address);
  for (const line of holdingLines(vault, holdings)) context.terminal.print(line);
  const plan = planLeaving(holdings, { inKind: leaving.inKind, failed: [] });
  const planned = plan.steps.map((step, index) => `${index + 1}. ${stepText(step)}`);
  const stays = plan.remainders.map((remainder) => remainderText(remainder));
  if (input.dryRun) {
    const found = { owner: address, vault, steps: plan.steps.map(stepText), stays };
    return done([...planned, ...stays.map((text) => `stays: ${text}`)], found);
  }
  await context.terminal.agree([
    `With the key of ${address} this will be signed, one transaction each:`,
    ...planned.map((line) => `  ${line}`),
    ...stays.map((text) => `  stays: ${text}`),
  ]);
  return leave(leaving, holdings, context);
}

async function open(
  pool: RpcPool,
  { program: programId, collateralInKind: inKind }: ExitInput,
  { owner, secretKey }: { readonly owner: string; readonly secretKey: Uint8Array },
): Promise<Leaving> {
  const reserve = reserveOnChain(pool.genesisHash);
  if (reserve === null) throw new CliError('No vault of this program is on the main network.');
  const program = await programOfVault(pool.rpc, programId, owner);
  if (program === null) throw noVault(owner, programId);
  const keypair = Keypair.fromSecretKey(secretKey);
  return { rpc: pool.rpc, program, reserve, keypair, owner, inKind };
}

const noVault = (owner: string, programId: string): CliError =>
  new CliError(
    `${owner} has no vault under the program ${programId} on this chain: check the key file, the ` +
      'program id and the node, or the vault is closed already.',
  );

/** Plans again after each step: the state of the chain decides what is next. */
async function leave(
  leaving: Leaving,
  found: Holdings,
  { terminal, signal }: Context,
): Promise<Outcome> {
  const { owner, inKind } = leaving;
  const failed: FailedStep[] = [];
  const tried: TriedStep[] = [];
  let holdings: Holdings | null = found;
  let reached = 0n;
  let tries = 0;
  for (let count = 1; count <= MOST_STEPS; count += 1) {
    if (signal.aborted) throw interrupted(tried.at(-1));
    const { steps, remainders }: LeavePlan = planLeaving(holdings, { inKind, failed });
    const [step] = steps;
    if (step === undefined) {
      const stays = remainders.map((remainder) => remainderText(remainder));
      const text = stays.map((line) => `stays: ${line}`).join('\n');
      return { exitCode: EXIT.refused, text, json: { owner, closed: false, steps: tried, stays } };
    }
    const words = stepText(step);
    const outcome = await terminal.whileWaiting(words, take(leaving, holdings, step, signal));
    if (signal.aborted && outcome.kind === 'again') throw interrupted(tried.at(-1));
    terminal.print(`${count}. ${words}: ${outcomeText(outcome)}`);
    const signature = 'signature' in outcome ? outcome.signature : null;
    tried.push({ step: words, outcome: outcome.kind, tx_signature: signature });
    if (outcome.kind === 'unknown') throw interrupted(tried.at(-1));
    if (outcome.kind === 'refused') failed.push({ step, reason: outcome.reason });
    if (outcome.kind === 'confirmed') reached = outcome.slot;
    tries = outcome.kind === 'again' ? tries + 1 : 0;
    if (tries === SEND_TRIES) throw new CliError('It does not land: run the command again later.');
    holdings = await readAtLeast(leaving, reached);
    if (holdings === null) {
      const json = { owner, closed: true, steps: tried, stays: [] };
      return done(`The vault is closed. Everything is with ${owner}.`, json);
    }
  }
  throw new CliError(`After ${MOST_STEPS} steps there is more to do: run the command again.`);
}

/** The state of the chain decides what is next, so running the command again is always safe. */
function interrupted(last: TriedStep | undefined): CliError {
  const again = 'run the command again, which continues with what is left';
  if (last?.outcome !== 'unknown') return new CliError(`Interrupted between two steps: ${again}.`);
  return new CliError(
    `Interrupted: the outcome of transaction ${last.tx_signature} is not known yet; ${again}.`,
    { exitCode: EXIT.pending },
  );
}

async function take(
  leaving: Leaving,
  holdings: Holdings,
  step: LeaveStep,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const { program, reserve } = leaving;
  const lamports = await lamportsOf(leaving);
  if (lamports < LEAST_LAMPORTS) throw noFunds(leaving, lamports);
  const instructions = stepInstructions(
    program,
    reserve,
    holdings,
    step,
    ownerDeadline(Date.now()),
  );
  const outcome = await sendStep(leaving, instructions, signal);
  if (outcome.kind !== 'refused') return outcome;
  if (NO_FUNDS.test(outcome.reason)) throw noFunds(leaving, lamports);
  if (PASSED_DEADLINE.test(outcome.reason)) {
    throw new CliError(
      `The clock of this machine is ${OWNER_DEADLINE_MINUTES} minutes or more behind the chain's: ` +
        'set the clock and run the command again.',
    );
  }
  return outcome;
}

function outcomeText(outcome: StepOutcome): string {
  switch (outcome.kind) {
    case 'confirmed':
      return `done, ${outcome.signature}`;
    case 'refused':
      return 'refused';
    case 'again':
      return 'did not land, trying again';
    case 'unknown':
      return `sent, ${outcome.signature}`;
  }
}

async function lamportsOf({ rpc, owner }: Leaving): Promise<bigint> {
  const { accounts } = await rpc.accounts([owner], { commitment: 'confirmed' });
  return accounts[0]?.lamports ?? 0n;
}

const noFunds = ({ owner }: Leaving, lamports: bigint): CliError =>
  new CliError(
    `${owner} has ${solOf(lamports)}, which is too little for the fee and the rent of the next ` +
      'step: send it 0.01 SOL and run the command again.',
  );

/** A node behind another endpoint can need a moment to show a slot. */
async function readAtLeast(leaving: Leaving, slot: bigint): Promise<Holdings | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await readHoldings(leaving.rpc, leaving, leaving.owner, slot);
    } catch (error) {
      if (tries === READ_TRIES) throw error;
      await delay(READ_AGAIN_MS);
    }
  }
}
