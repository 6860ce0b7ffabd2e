import { describe, expect, test } from 'vitest';
import { parseCommand } from './command.ts';
import { parseConfig } from './config.ts';

const WALLET = '0189b2c4-5d6e-7f80-9a1b-2c3d4e5f6071';

describe('the command line', () => {
  test.each([
    [[], { kind: 'help' }],
    [['--help'], { kind: 'help' }],
    [['audit', 'verify', '-h'], { kind: 'help' }],
    [['ops', 'restored'], { kind: 'ops_restored' }],
    [['audit', 'verify'], { kind: 'audit_verify', walletId: null }],
    [['audit', 'verify', '--wallet', WALLET], { kind: 'audit_verify', walletId: WALLET }],
  ])('%j is understood', (args, command) => {
    expect(parseCommand(args)).toEqual(command);
  });

  test.each([
    [['audit'], 'There is no command "audit": try --help.'],
    [['ops', 'restored', '--wallet', WALLET], 'There is no command "ops restored": try --help.'],
    [['audit', 'verify', 'all'], 'There is no command "audit verify all": try --help.'],
    [['audit', 'verify', '--wallet', 'mine'], '--wallet takes a wallet id.'],
    [['audit', 'verify', '--wallet'], "Option '--wallet <value>' argument missing: try --help."],
    [['audit', 'verify', '--all'], "Unknown option '--all': try --help."],
  ])('%j is refused in one sentence', (args, sentence) => {
    expect(() => parseCommand(args)).toThrow(sentence);
  });
});

describe('the environment', () => {
  const whole = {
    DATABASE_URL: 'postgres://localhost/wallet',
    PROGRAM_ID: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
    USDC_MINT: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  };

  test('needs no endpoint, and takes several', () => {
    expect(parseConfig(whole)).toMatchObject({ rpcUrls: null });
    const urls = ['http://one.example:8899', 'http://two.example:8899'];
    const { rpcUrls } = parseConfig({ ...whole, RPC_URL: urls.join(',') });
    expect(rpcUrls).toHaveLength(2);
  });

  test.each([
    [{ DATABASE_URL: undefined }, 'DATABASE_URL is missing'],
    [{ PROGRAM_ID: 'n'.repeat(40) + '0' }, 'PROGRAM_ID must be an address'],
    [{ USDC_MINT: '0'.repeat(40) }, 'USDC_MINT must be an address'],
    [{ RPC_URL: 'nowhere' }, 'RPC_URL must be 1 to 8 different http(s) URLs'],
  ])('%j is refused in one sentence', (change, sentence) => {
    expect(() => parseConfig({ ...whole, ...change })).toThrow(sentence);
  });
});
