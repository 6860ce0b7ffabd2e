import { readFileSync } from 'node:fs';
import { type AgentWallet, createAgentWallet } from '@agent-wallet/sdk';
import { Option } from 'commander';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import type { Context } from '../command-line/add-command.ts';
import { TIMEOUT_OPTION, timeout, url, URL_OPTION } from '../command-line/inputs.ts';

const KEY_VARIABLE = 'AGENT_WALLET_KEY';
const KEY = /^svc_(?:dev|test|prod)_[\x21-\x7e]+$/;

/** What every command of an agent takes. The key is no argument: other users can see those. */
export const AGENT_OPTIONS: readonly Option[] = [
  URL_OPTION,
  new Option(
    '--key-file <file>',
    `the file with the agent's key; by default ${KEY_VARIABLE} has it`,
  ),
  TIMEOUT_OPTION,
];
export const agentInput = z.object({ url, keyFile: z.string().optional(), timeout });

/** The client of the agent whose key is in the file or the environment. Throws a CliError. */
export function openAgent(
  { url: api, keyFile, timeout: timeoutMs }: z.output<typeof agentInput>,
  { env }: Pick<Context, 'env'>,
): AgentWallet {
  return createAgentWallet({ url: api, apiKey: readKey(keyFile, env), timeoutMs });
}

/** The sentences show nothing of the key. */
function readKey(file: string | undefined, env: NodeJS.ProcessEnv): string {
  const text = file === undefined ? env[KEY_VARIABLE] : readFile(file);
  const key = text?.trim() ?? '';
  if (key === '') {
    throw new CliError(`${KEY_VARIABLE} is missing: set it, or give --key-file.`);
  }
  if (KEY.test(key)) return key;
  const where = file ?? KEY_VARIABLE;
  throw new CliError(
    `${where} has no key of an agent, which begins with svc_dev_, svc_test_ or svc_prod_.`,
  );
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CliError(`${file} cannot be read.`, { cause });
  }
}
