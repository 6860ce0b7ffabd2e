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
import type { Keypair } from '@solana/web3.js';
import { CliError } from '../cli-error.ts';
import type { LeaveConfig } from '../config.ts';
import { holdingLines, remainderText, solOf, stepText } from './describe-leaving.ts';
import { readKeypairFile } from './keypair-file.ts';
import type { LeaveCommand } from './leave-arguments.ts';
import { sendStep, type StepOutcome } from './send-step.ts';

type Print = (line: string) => void;
type Reserve = NonNullable<ReturnType<typeof reserveOnChain>>;
type Leaving = {
  readonly rpc: Rpc;
  readonly program: WalletProgram;
  readonly reserve: Reserve;
  readonly keypair: Keypair;
  readonly owner: string;
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
const SOMETHING_STAYS = 1;

/**
 * `owner leave`: takes everything of an owner out of the vault and closes it, with nothing but a
 * node and the owner's key. Prints what it finds and each step. Returns the exit code, 1 when
 * something stays; throws a CliError when it cannot begin or go on.
 */
export async function leaveCommand(
  config: LeaveConfig,
  command: LeaveCommand,
  print: Print,
): Promise<number> {
  const keypair = readKeypairFile(command.keypairFile);
  await using pool = await openRpcPool({ urls: config.rpcUrls, timeoutMs: RPC_TIMEOUT_MS });
  const leaving = await open(pool, config.programId, keypair);
  const holdings = await readAtLeast(leaving, 0n);
  if (holdings === null) throw noVault(leaving.owner, config.programId);
  for (const line of holdingLines(vaultOf(leaving), holdings)) print(line);
  if (command.isDryRun) return listSteps(holdings, command, print);
  return leave(leaving, holdings, command, print);
}

async function open(pool: RpcPool, programId: string, keypair: Keypair): Promise<Leaving> {
  const reserve = reserveOnChain(pool.genesisHash);
  if (reserve === null) throw new CliError('No vault of this program is on the main network.');
  const owner = keypair.publicKey.toBase58();
  const program = await programOfVault(pool.rpc, programId, owner);
  if (program === null) throw noVault(owner, programId);
  return { rpc: pool.rpc, program, reserve, keypair, owner };
}

const vaultOf = ({ program, owner }: Leaving): string => program.addresses.vaultPda(owner);

const noVault = (owner: string, programId: string): CliError =>
  new CliError(
    `${owner} has no vault under the program ${programId} on this chain: check the key file, the ` +
      'program id and the node, or the vault is closed already.',
  );

function listSteps(holdings: Holdings, { inKind }: LeaveCommand, print: Print): number {
  const { steps, remainders } = planLeaving(holdings, { inKind, failed: [] });
  for (const [index, step] of steps.entries()) print(`${index + 1}. ${stepText(step)}`);
  for (const remainder of remainders) print(`stays: ${remainderText(remainder)}`);
  return 0;
}

/** Plans again after each step: the state of the chain decides what is next. */
async function leave(
  leaving: Leaving,
  found: Holdings,
  { inKind }: LeaveCommand,
  print: Print,
): Promise<number> {
  const failed: FailedStep[] = [];
  let holdings: Holdings | null = found;
  let reached = 0n;
  let tries = 0;
  for (let count = 1; count <= MOST_STEPS; count += 1) {
    const { steps, remainders }: LeavePlan = planLeaving(holdings, { inKind, failed });
    const [step] = steps;
    if (step === undefined) {
      for (const remainder of remainders) print(`stays: ${remainderText(remainder)}`);
      return SOMETHING_STAYS;
    }
    const outcome = await take(leaving, holdings, step);
    print(`${count}. ${stepText(step)}: ${outcomeText(outcome)}`);
    if (outcome.kind === 'refused') failed.push({ step, reason: outcome.reason });
    if (outcome.kind === 'confirmed') reached = outcome.slot;
    tries = outcome.kind === 'again' ? tries + 1 : 0;
    if (tries === SEND_TRIES) throw new CliError('It does not land: run the command again later.');
    holdings = await readAtLeast(leaving, reached);
    if (holdings === null) {
      print(`The vault is closed. Everything is with ${leaving.owner}.`);
      return 0;
    }
  }
  throw new CliError(`After ${MOST_STEPS} steps there is more to do: run the command again.`);
}

async function take(leaving: Leaving, holdings: Holdings, step: LeaveStep): Promise<StepOutcome> {
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
  const outcome = await sendStep(leaving, instructions);
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

const outcomeText = (outcome: StepOutcome): string => {
  if (outcome.kind === 'confirmed') return `done, ${outcome.signature}`;
  return outcome.kind === 'refused' ? 'refused' : 'did not land, trying again';
};

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
