import { readFileSync } from 'node:fs';
import { formatUsdc, type Service } from '@agent-wallet/sdk';
import { Option } from 'commander';
import { z } from 'zod';
import { CliError } from '../cli-error.ts';
import { addCommand } from '../command-line/add-command.ts';
import { amount, httpUrl } from '../command-line/inputs.ts';
import { done } from '../command-line/outcome.ts';
import type { AddCommands } from '../command-line/parse-command-line.ts';
import { tableOf } from '../terminal/table.ts';
import { responseOutcome } from './response-outcome.ts';
import { IDEMPOTENCY_OPTION, idempotencyKey, spendOnce } from './spend-once.ts';
import { AGENT_OPTIONS, agentInput, openAgent } from './with-agent.ts';

const HEAD = ['SLUG', 'MOST USDC', 'METHOD', 'PAYS', 'URL', 'NAME'];
const MAX_OPTION = new Option('--max <usdc>', 'the most to pay for this call');
const DATA_OPTION = new Option('-d, --data <JSON>', 'the body, or @<file> to read it from a file');

/** Services that are paid for each call. */
export const addServices: AddCommands = (to) => {
  addCommand(to, {
    usage: 'services',
    summary: 'list the services of the catalog',
    options: AGENT_OPTIONS,
    examples: ['agent services'],
    input: agentInput,
    run: async (input, context) => {
      const services = await openAgent(input, context).services({ signal: context.signal });
      return done(tableOf(HEAD, services.map(cellsOf)), services);
    },
  });
  addCommand(to, {
    usage: 'pay <slug> [path]',
    summary: 'call a service of the catalog and pay it; its response goes to stdout',
    options: [MAX_OPTION, DATA_OPTION, IDEMPOTENCY_OPTION, ...AGENT_OPTIONS],
    examples: [
      'agent pay weather /berlin?days=3 --max 0.05',
      `agent pay ask --max 0.1 -d '{"q":"?"}'`,
    ],
    input: agentInput.extend({
      slug: z.string(),
      path: z.string().optional(),
      max: amount,
      data: z.string().optional(),
      idempotencyKey,
    }),
    run: (input, context) => {
      const { slug, path, max, data } = input;
      const call = {
        slug,
        max_amount: max,
        ...(path === undefined ? {} : { path }),
        ...(data === undefined ? {} : { body: readJson(data) }),
      };
      return spendOnce(input.idempotencyKey, context, async (key) => {
        const options = { signal: context.signal, idempotencyKey: key };
        const response = await openAgent(input, context).payService(call, options);
        return responseOutcome(response, context);
      });
    },
  });
  addCommand(to, {
    usage: 'fetch <target>',
    summary: 'request a URL and pay where it requires payment; the response goes to stdout',
    options: [
      MAX_OPTION,
      new Option('-X, --method <method>', 'by default POST with a body, else GET'),
      new Option('-H, --header <line...>', 'a header such as "accept: application/json"'),
      DATA_OPTION,
      IDEMPOTENCY_OPTION,
      ...AGENT_OPTIONS,
    ],
    examples: ['agent fetch https://api.example.com/v1/data --max 0.05'],
    input: agentInput.extend({
      // The URL to fetch has the name of the option with the API's.
      target: httpUrl('give the URL'),
      max: amount,
      method: z
        .string()
        .regex(/^[A-Z]+$/, { error: 'must be a method such as GET' })
        .optional(),
      header: z.array(z.string().regex(/^[\w-]+:/, { error: 'must be "name: value"' })).default([]),
      data: z.string().optional(),
      idempotencyKey,
    }),
    run: (input, context) => {
      const { target, max, data, method = data === undefined ? 'GET' : 'POST' } = input;
      const headers = new Headers(input.header.map(headerOf));
      if (data !== undefined && !headers.has('content-type')) {
        headers.set('content-type', 'application/json');
      }
      const body = data === undefined ? {} : { body: readData(data) };
      return spendOnce(input.idempotencyKey, context, async (key) => {
        const response = await openAgent(input, context).fetch(target, {
          method,
          headers,
          ...body,
          maxAmount: max,
          idempotencyKey: key,
          signal: context.signal,
        });
        return responseOutcome(response, context);
      });
    },
  });
};

const cellsOf = (service: Service): readonly string[] => [
  service.slug,
  formatUsdc(service.max_price),
  service.method ?? 'GET/POST',
  service.pay_to,
  service.base_url,
  service.name,
];

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

function readData(data: string): string {
  if (!data.startsWith('@')) return data;
  try {
    return readFileSync(data.slice(1), 'utf8');
  } catch (cause) {
    throw new CliError(`${data.slice(1)} cannot be read.`, { cause });
  }
}

function readJson(data: string): unknown {
  try {
    return JSON.parse(readData(data));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('--data must be JSON.', { cause });
  }
}
