/**
 * `npm run cluster -- <command>`: puts the program on a cluster and tries a deployment. Needs
 * `RPC_URL`. Every command reads the chain first, so it can be run again after any failure.
 */

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { isAppError } from '@agent-wallet/errors';
import { SettingsError } from '@agent-wallet/process';
import { Command } from 'commander';
import { Connection, PublicKey } from '@solana/web3.js';
import { z } from 'zod';
import { showMainnetCheck } from './check-mainnet.ts';
import type { Cluster } from './chain/cluster.ts';
import { createSend } from './chain/send.ts';
import { ClusterError } from './cluster-error.ts';
import { readKeypairFile } from './keypair-file.ts';
import { deployProgram } from './loader/deploy-program.ts';
import { publishIdl } from './metadata/publish-idl.ts';
import { createMultisig } from './multisig/create-multisig.ts';
import { handOver, type HandOver } from './multisig/hand-over.ts';
import { trySmoke } from './smoke.ts';

const PROGRAM_FILE = rooted('program/target/deploy/agent_wallet.so');
const IDL_FILE = rooted('program/idl/agent_wallet.json');
const DEFAULT_AMOUNT = '1000';

type Common = { readonly keypair: string; readonly priorityFee: string };

const commands = new Command('cluster')
  .description('Puts the program on a cluster and tries a deployment. Needs RPC_URL.')
  .showHelpAfterError();

const command = (name: string, description: string): Command =>
  commands
    .command(name)
    .description(description)
    .requiredOption('--keypair <file>', 'key that pays and signs')
    .option('--priority-fee <micro-lamports>', 'price per compute unit', '0');

command('deploy', 'deploys or upgrades the program, and compares its hash afterwards')
  .option('--program-keypair <file>', 'key of its address, for the first deployment')
  .option('--program <address>', 'its address, for an upgrade')
  .option('--so <file>', 'the built program', PROGRAM_FILE)
  .action(async (options: Common & { programKeypair?: string; program?: string; so: string }) => {
    const cluster = openCluster(options);
    const programKey =
      options.programKeypair === undefined
        ? addressOf('--program', options.program)
        : readKeypairFile(options.programKeypair);
    const done = await deployProgram(cluster, { programKey, bytes: readFile(options.so) });
    if (done.kind !== 'proposed') {
      cluster.say(`${done.kind}: SHA-256 ${done.sha256}`);
      return;
    }
    cluster.say(
      `Only ${done.authority} can replace the program. Have its members approve an upgrade`,
    );
    cluster.say(`with the buffer ${done.buffer}, which it may use now.`);
  });

command('publish-idl', 'publishes the IDL as metadata of the program; before hand-over')
  .requiredOption('--program <address>', 'address of the program')
  .option('--idl <file>', 'the IDL', IDL_FILE)
  .action(async (options: Common & { program: string; idl: string }) => {
    const cluster = openCluster(options);
    const program = addressOf('--program', options.program);
    const idl = withAddress(readFile(options.idl).toString('utf8'), options.program);
    const { address, isChanged } = await publishIdl(cluster, program, idl);
    cluster.say(`${isChanged ? 'published' : 'unchanged'}: ${address}`);
  });

command('create-multisig', 'creates a Squads v4 multisig')
  .requiredOption('--members <addresses>', 'addresses of its members, separated by commas')
  .requiredOption('--threshold <votes>', 'votes that a transaction needs, 2 or more')
  .action(async (options: Common & { members: string; threshold: string }) => {
    const cluster = openCluster(options);
    const members = options.members.split(',');
    for (const member of members) addressOf('--members', member);
    const address = await createMultisig(cluster, {
      members,
      threshold: Number(options.threshold),
    });
    cluster.say(`multisig ${address}`);
  });

command('hand-over', 'makes the vault of a Squads multisig the upgrade authority')
  .requiredOption('--program <address>', 'address of the program')
  .requiredOption('--multisig <address>', 'the multisig')
  .option('--yes', 'do not ask')
  .action(async (options: Common & { program: string; multisig: string; yes?: boolean }) => {
    const cluster = openCluster(options);
    addressOf('--multisig', options.multisig);
    const request = {
      program: addressOf('--program', options.program),
      multisig: options.multisig,
    };
    const done = await handOver(cluster, request, (plan) => confirm(plan, options.yes === true));
    cluster.say(
      done === null
        ? 'unchanged: the vault is the upgrade authority'
        : `upgrade authority ${done.to}`,
    );
  });

command('smoke', 'tries a running deployment as an owner and an agent; --keypair is the owner')
  .requiredOption('--api <url>', 'base URL of the API')
  .requiredOption('--program <address>', 'the program that is trusted')
  .requiredOption('--mint <address>', 'the mint of USDC')
  .requiredOption('--recipient <address>', 'a wallet with a USDC token account, which is paid')
  .option('--amount <base units>', 'what is paid', DEFAULT_AMOUNT)
  .action(
    async (
      options: Common & Record<'api' | 'program' | 'mint' | 'recipient' | 'amount', string>,
    ) => {
      if (!/^[1-9]\d{0,8}$/.test(options.amount)) {
        throw new ClusterError('--amount must be a number of base units from 1 to 999999999.');
      }
      await trySmoke({
        api: options.api,
        rpcUrl: rpcUrl(),
        deployment: { programId: options.program, usdcMint: options.mint },
        owner: readKeypairFile(options.keypair),
        recipient: options.recipient,
        amount: BigInt(options.amount),
        say: console.log,
      });
      console.log('ok');
    },
  );

commands
  .command('mainnet-check')
  .description('shows the requirements of mainnet and which are missing; exit code 1 if any is')
  .action(async () => {
    if (!(await showMainnetCheck(process.env, console.log))) process.exitCode = 1;
  });

try {
  await commands.parseAsync();
} catch (error) {
  console.error(isForPeople(error) ? error.message : error);
  process.exitCode = 1;
}

function isForPeople(error: unknown): error is Error {
  return error instanceof ClusterError || error instanceof SettingsError || isAppError(error);
}

function openCluster({ keypair, priorityFee }: Common): Cluster {
  if (!/^\d{1,9}$/.test(priorityFee)) {
    throw new ClusterError('--priority-fee must be a number of micro-lamports.');
  }
  const payer = readKeypairFile(keypair);
  const connection = new Connection(rpcUrl(), {
    commitment: 'confirmed',
    disableRetryOnRateLimit: true,
  });
  const send = createSend(connection, payer, { microLamports: Number(priorityFee) });
  return { connection, payer, send, say: console.log };
}

function rpcUrl(): string {
  const url = process.env['RPC_URL']?.split(',')[0] ?? '';
  if (URL.canParse(url) && /^https?:/.test(url)) return url;
  throw new ClusterError('RPC_URL must be the http(s) URL of an RPC endpoint.');
}

function addressOf(option: string, text: string | undefined): PublicKey {
  try {
    return new PublicKey(text ?? '');
  } catch {
    throw new ClusterError(`${option} must be a base58 address of 32 bytes.`);
  }
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new ClusterError(`${path} cannot be read.`);
  }
}

/** The IDL in the repository names the address of the local program. */
function withAddress(idl: string, address: string): string {
  return JSON.stringify({ ...z.looseObject({}).parse(JSON.parse(idl)), address });
}

async function confirm(plan: HandOver, isConfirmed: boolean): Promise<boolean> {
  console.log(`program    ${plan.program}`);
  console.log(`authority  ${plan.from}, who gives it up`);
  console.log(
    `to         ${plan.to}, the vault of the multisig ${plan.multisig}: ${plan.votes} votes`,
  );
  if (isConfirmed) return true;
  if (!process.stdin.isTTY) throw new ClusterError('Confirm with --yes, or at a terminal.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const typed = await terminal.question('Type the address of the vault to confirm: ');
  terminal.close();
  return typed.trim() === plan.to;
}

function rooted(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
