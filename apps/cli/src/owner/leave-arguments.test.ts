import { expect, test } from 'vitest';
import { parseCommand } from '../command.ts';
import { parseLeaveConfig } from '../config.ts';

const KEYPAIR = ['--keypair', 'key.json'];
const PLAIN = {
  kind: 'owner_leave',
  keypairFile: 'key.json',
  rpcUrl: null,
  programId: null,
  isDryRun: false,
  inKind: false,
};

test.each([
  [KEYPAIR, PLAIN],
  [[...KEYPAIR, '--dry-run'], { ...PLAIN, isDryRun: true }],
  [[...KEYPAIR, '--collateral-in-kind'], { ...PLAIN, inKind: true }],
  [
    [...KEYPAIR, '--rpc', 'http://node.example', '--program', 'id'],
    { ...PLAIN, rpcUrl: 'http://node.example', programId: 'id' },
  ],
])('owner leave %j is understood', (args, command) => {
  expect(parseCommand(['owner', 'leave', ...args])).toEqual(command);
});

test.each([
  [['leave'], '--keypair is missing'],
  [['leave', '--keypair'], "Option '--keypair <value>' argument missing: try --help."],
  [['leave', ...KEYPAIR, '--force'], "Unknown option '--force': try --help."],
  [['leave', 'now', ...KEYPAIR], 'There is no command "owner leave now": try --help.'],
  [[], 'There is no command "owner": try --help.'],
])('owner %j is refused in one sentence', (args, sentence) => {
  expect(() => parseCommand(['owner', ...args])).toThrow(sentence);
});

test('owner leave needs no database, and its options win over the environment', () => {
  const env = {
    RPC_URL: 'http://one.example:8899',
    PROGRAM_ID: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  };
  expect(parseLeaveConfig(env, { rpcUrl: null, programId: null })).toMatchObject({
    programId: env.PROGRAM_ID,
  });
  const other = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
  const { rpcUrls, programId } = parseLeaveConfig(env, {
    rpcUrl: 'http://two.example:8899',
    programId: other,
  });
  expect(rpcUrls).toHaveLength(1);
  expect(rpcUrls[0]).toContain('two.example');
  expect(programId).toBe(other);
  expect(() => parseLeaveConfig({}, { rpcUrl: null, programId: other })).toThrow(
    'RPC_URL is missing',
  );
});
