import { DEVNET } from '@agent-wallet/sdk/owner';
import { describe, expect, test } from 'vitest';
import { CliError } from '../cli-error.ts';
import { addAgent } from '../agent/add-agent.ts';
import { addExit } from '../exit/add-exit.ts';
import { addOperator } from '../operator/add-operator.ts';
import { addOwner } from '../owner/add-owner.ts';
import { parseCommandLine } from './parse-command-line.ts';

const WALLET = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';
const KEYPAIR = ['--keypair', 'key.json'];
const RPC = ['--rpc', 'http://node.example'];
const URL = ['--url', 'http://api.example'];
const OWNER = [...URL, ...KEYPAIR];
const PAYEE = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const LIMITS = ['--max-per-tx', '1', '--daily-cap', '2.5', '--hours', '1'];

function parse(args: readonly string[]) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const call = parseCommandLine([addOwner, addAgent, addExit, addOperator], args, {
    description: 'd',
    print,
  });
  return { call, help: printed.join('') };
}

describe('a command line', () => {
  test.each([
    [['ops', 'restored'], 'ops restored', {}],
    [['audit', 'verify'], 'audit verify', {}],
    [['audit', 'verify', '--wallet', WALLET], 'audit verify', { wallet: WALLET }],
    [
      ['exit', ...KEYPAIR, ...RPC, '--dry-run'],
      'exit',
      { keypair: 'key.json', rpc: ['http://node.example'], dryRun: true, collateralInKind: false },
    ],
    [
      ['exit', ...KEYPAIR, '--rpc', 'http://a.example,http://b.example', '--collateral-in-kind'],
      'exit',
      { rpc: ['http://a.example', 'http://b.example'], dryRun: false, collateralInKind: true },
    ],
    [
      ['owner', 'wallet', 'create', ...OWNER, ...RPC, '--max-deployed', '12.5'],
      'owner wallet create',
      { maxDeployed: 1_250, timeout: 120_000, program: DEVNET.programId, mint: DEVNET.usdcMint },
    ],
    [
      ['owner', 'session', 'create', ...LIMITS, ...OWNER, ...RPC, '--recipient', PAYEE],
      'owner session create',
      { maxPerTx: 1_000_000n, dailyCap: 2_500_000n, allow: 1, recipient: [PAYEE] },
    ],
    [
      [
        'owner',
        'session',
        'limits',
        WALLET,
        ...OWNER,
        ...RPC,
        '--allow',
        'transfer,yield-withdraw',
      ],
      'owner session limits',
      { id: WALLET, allow: 5 },
    ],
    [
      ['owner', 'session', 'limits', WALLET, ...OWNER, ...RPC],
      'owner session limits',
      { id: WALLET },
    ],
    [
      ['owner', 'withdraw', 'all', ...OWNER, '--rpc', 'http://a.example,http://b.example'],
      'owner withdraw',
      { amount: 'all', rpc: 'http://a.example' },
    ],
    [['owner', 'withdraw', '0.25', ...OWNER, ...RPC], 'owner withdraw', { amount: 250_000n }],
    [
      ['owner', 'wallet', 'show', ...OWNER, '--site', 'localhost:3000'],
      'owner wallet show',
      { site: 'localhost:3000' },
    ],
    [
      ['owner', 'audit', ...OWNER, '--decision', 'deny', '--from', '2026-11-01', '--limit', '5'],
      'owner audit',
      { decision: 'deny', from: new Date('2026-11-01'), limit: 5 },
    ],
    [
      ['agent', 'fetch', 'https://a.example', '--max', '0.05', '-H', 'a: b', '-H', 'c: d', ...URL],
      'agent fetch',
      { target: 'https://a.example', max: 50_000n, header: ['a: b', 'c: d'] },
    ],
  ])('%j is understood', (args, name, input) => {
    expect(parse(args).call).toMatchObject({ name, input, isJson: false });
  });

  test('limits that are not named stay', () => {
    const { call } = parse(['owner', 'session', 'limits', WALLET, ...OWNER, ...RPC]);
    expect(call?.input).not.toHaveProperty('allow');
    expect(call?.input).not.toHaveProperty('maxPerTx');
  });

  test.each([
    [['audit'], 'There is no command "audit": try --help.'],
    [['audit', 'shut'], 'There is no command "audit shut": try --help.'],
    [['leave'], 'There is no command "leave": try --help.'],
    [['audit', 'verify', 'all'], "Too many arguments for 'verify': try --help."],
    [['audit', 'verify', '--wallet', 'mine'], '--wallet must be an id such as'],
    [['audit', 'verify', '--wallet'], "Option '--wallet <id>' argument missing: try --help."],
    [['audit', 'verify', '--all'], "Unknown option '--all'"],
    [['exit', ...RPC], "--keypair is missing: where is the file with the owner's key?"],
    [['exit', ...KEYPAIR], '--rpc is missing: give the URL of an RPC node, or set RPC_URL.'],
    [['exit', ...KEYPAIR, '--rpc', 'nowhere'], '--rpc must be an http or https URL.'],
    [['exit', ...KEYPAIR, '--rpc', 'http://a,http://a'], '--rpc must be different URLs.'],
    [['exit', ...KEYPAIR, ...RPC, '--program', '0'], '--program must be a base58 address.'],
    [['exit', '--keypar', 'f'], "Unknown option '--keypar' (Did you mean --keypair?): try --help."],
    [['owner'], 'There is no command "owner": try --help.'],
    [['owner', 'leave'], 'There is no command "owner leave": try --help.'],
    [['owner', 'wallet', 'show', ...KEYPAIR], '--url is missing: give the URL of the API'],
    [
      ['owner', 'wallet', 'show', ...OWNER, '--site', 'https://wallet.example.com'],
      '--site must be a host such as wallet.example.com.',
    ],
    [['owner', 'pause', ...OWNER], '--rpc is missing: give the URL of an RPC node'],
    [['owner', 'withdraw', '-1', ...OWNER, ...RPC], '<amount> must be all, or an amount'],
    [['owner', 'withdraw', '0', ...OWNER, ...RPC], '<amount> must be all, or an amount such as'],
    [['owner', 'withdraw', '0.0000001', ...OWNER, ...RPC], '<amount> must be all, or an amount'],
    [['owner', 'session', 'create', ...OWNER, ...RPC], '--max-per-tx is missing'],
    [
      ['owner', 'session', 'create', ...LIMITS, ...OWNER, ...RPC, '--allow', 'all'],
      '--allow must be of transfer, yield-deposit, yield-withdraw.',
    ],
    [
      ['owner', 'session', 'create', ...LIMITS, ...OWNER, ...RPC, '--recipient', 'me'],
      '--recipient must be a base58 address.',
    ],
    [['owner', 'audit', ...OWNER, '--from', 'monday'], '--from must be a time such as 2026-11-23'],
    [['owner', 'spends', ...OWNER, '--status', 'paid'], '--status must be one of pending, '],
    [['agent', 'transfer', PAYEE, '1e3', ...URL], '<amount> must be an amount of USDC above 0'],
    [['agent', 'transfer', 'me', '1', ...URL], '<recipient> must be a base58 address.'],
    [['agent', 'pay', 'a', ...URL], '--max is missing: give an amount such as 0.25.'],
    [['agent', 'fetch', 'ftp://a', '--max', '1', ...URL], '<target> must be an http or https URL.'],
    [['agent', 'limits', '--key', 'svc_dev_x', ...URL], "Unknown option '--key'"],
  ])('%j is refused in one sentence', (args, sentence) => {
    const refused = (): unknown => parse(args);
    expect(refused).toThrow(CliError);
    expect(refused).toThrow(sentence);
  });

  test.each([[[]], [['--help']], [['exit', '-h']], [['catalog', 'add', '--help']]])(
    '%j shows help, which lists what the exit codes mean or examples',
    (args) => {
      const { call, help } = parse(args);
      expect(call).toBeNull();
      expect(help).toMatch(/^Usage: agent-wallet/);
      expect(help).toMatch(/Examples:\n {2}\$ agent-wallet|Exit code: 0 done/);
    },
  );
});
