import { expect, test } from 'vitest';
import { SQUADS } from '../../fixtures/squads-bytes.ts';
import { mainnetChecklist, type MainnetFacts, type UpgradeFacts } from './mainnet-checklist.ts';

const SHA = 'a'.repeat(64);
const SOMEBODY = SQUADS.createKey;

const shown: UpgradeFacts = {
  program: { authority: SQUADS.vault, sha256: SHA },
  multisig: { threshold: 2, voters: 3, configAuthority: null },
};
const ready: MainnetFacts = {
  allowMainnet: true,
  rpcHosts: ['rpc.example.com', 'rpc.example.org'],
  auditSha256: SHA,
  upgradeMultisig: SQUADS.multisig,
  upgrade: [shown, shown],
};

const missing = (changed: Partial<MainnetFacts>): Record<string, string> =>
  Object.fromEntries(
    mainnetChecklist({ ...ready, ...changed }).flatMap((item) =>
      item.missing === null ? [] : [[item.id, item.missing]],
    ),
  );

const withProgram = (program: UpgradeFacts['program']) => ({ upgrade: [{ ...shown, program }] });
const withMultisig = (multisig: UpgradeFacts['multisig']) => ({
  upgrade: [{ ...shown, multisig }],
});

test('an audited program of a multisig, seen by two providers, meets all requirements', () => {
  expect(missing({})).toEqual({});
});

test('a program that nobody can replace needs no multisig', () => {
  const program = { authority: null, sha256: SHA };
  expect(missing({ ...withProgram(program), upgradeMultisig: undefined })).toEqual({});
});

test.each<[string, Partial<MainnetFacts>, string, RegExp]>([
  ['without permission', { allowMainnet: false }, 'allowed', /ALLOW_MAINNET=true/],
  ['without an audit', { auditSha256: undefined }, 'audit', /set AUDIT_SHA256/],
  ['with another audit', { auditSha256: 'b'.repeat(64) }, 'audit', /has the SHA-256 a{64}, not/],
  ['with one endpoint', { rpcHosts: ['rpc.example.com'] }, 'endpoints', /2 different providers/],
  [
    'with two endpoints of one host',
    { rpcHosts: ['rpc.example.com', 'rpc.example.com'] },
    'endpoints',
    /2 different providers/,
  ],
  [
    'with endpoints that disagree',
    { upgrade: [shown, { ...shown, program: { authority: SOMEBODY, sha256: SHA } }] },
    'agreement',
    /find out which one is wrong/,
  ],
  ['without a multisig', { upgradeMultisig: undefined }, 'authority', /hand it over/],
  [
    'under one key',
    withProgram({ authority: SOMEBODY, sha256: SHA }),
    'authority',
    new RegExp(`^${SOMEBODY} can replace the program, .* is ${SQUADS.vault}`),
  ],
  [
    'under another vault of the multisig',
    withProgram({ authority: SQUADS.secondVault, sha256: SHA }),
    'authority',
    /hand it over/,
  ],
  [
    'under the multisig itself',
    withProgram({ authority: SQUADS.multisig, sha256: SHA }),
    'authority',
    /hand it over/,
  ],
  ['with an account that is no multisig', withMultisig(null), 'authority', /no multisig account/],
  [
    'with a threshold of one',
    withMultisig({ threshold: 1, voters: 3, configAuthority: null }),
    'authority',
    /needs 1 of 3 votes/,
  ],
  [
    'with fewer voters than votes',
    withMultisig({ threshold: 2, voters: 1, configAuthority: null }),
    'authority',
    /needs 2 of 1 votes/,
  ],
  [
    'with one who can change the members',
    withMultisig({ threshold: 2, voters: 3, configAuthority: SOMEBODY }),
    'authority',
    /remove its config authority/,
  ],
])('a deployment %s lacks one requirement', (_case, changed, id, text) => {
  expect(missing(changed)).toEqual({ [id]: expect.stringMatching(text) });
});

test('all that is missing is named at once', () => {
  const nothing = {
    allowMainnet: false,
    rpcHosts: ['rpc.example.com'],
    auditSha256: undefined,
    upgradeMultisig: undefined,
    upgrade: [{ program: { authority: SOMEBODY, sha256: SHA }, multisig: null }],
  };
  expect(Object.keys(missing(nothing))).toEqual(['allowed', 'audit', 'endpoints', 'authority']);
});

test('a program whose bytes cannot be read is neither audited nor out of reach', () => {
  expect(Object.keys(missing(withProgram(null)))).toEqual(['audit', 'authority']);
});
