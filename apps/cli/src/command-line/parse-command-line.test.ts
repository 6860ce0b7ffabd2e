import { describe, expect, test } from 'vitest';
import { CliError } from '../cli-error.ts';
import { addExit } from '../exit/add-exit.ts';
import { addOperator } from '../operator/add-operator.ts';
import { parseCommandLine } from './parse-command-line.ts';

const WALLET = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';
const KEYPAIR = ['--keypair', 'key.json'];
const RPC = ['--rpc', 'http://node.example'];

function parse(args: readonly string[]) {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const call = parseCommandLine([addExit, addOperator], args, { description: 'd', print });
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
  ])('%j is understood', (args, name, input) => {
    expect(parse(args).call).toMatchObject({ name, input, isJson: false });
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
