import { expect, it } from 'vitest';
import { PROGRAM_INSTRUCTIONS } from '../../../../libs/sdk/src/owner/transaction/program-instructions.ts';
import { describeTransaction } from './describe-transaction.ts';

const EXPIRY = 1_795_528_800n;
const ONE = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
const TWO = '11111111111111111111111111111112';

const values = {
  max_per_tx: 5_000_000n,
  daily_cap: 50_000_000n,
  expiry: EXPIRY,
  allowed_instructions: 1n,
  recipients: [ONE, TWO],
  session_pubkey: ONE,
  session_index: 7n,
  max_deployed_fraction_bp: 2_500n,
  paused: true,
  amount: 1_250_000n,
  deadline: 1_795_000_000n,
};

const words = (name: string, changed: Partial<typeof values> = {}) =>
  describeTransaction([{ name, args: { ...values, ...changed } }], 'UTC');
const sentence = (name: string, changed: Partial<typeof values> = {}) =>
  words(name, changed).sentences[0];

it('says what a new session may do, to whom and until when', () => {
  expect(words('add_session')).toEqual({
    sentences: [
      'Create a session that may pay at most 5.00 USDC per payment and 50.00 USDC in 24 hours, to 2 recipients, until 24 Nov 2026, 14:00 UTC.',
    ],
    addresses: [{ label: 'Recipients', values: [ONE, TWO] }],
    deadline: 1_795_000_000,
    depositLamports: 5_735_040,
  });
});

it.each([
  [{ recipients: [ONE] }, 'to 1 recipient, until'],
  [{ recipients: [] }, 'to nobody yet, because it has no recipients, until'],
  [{ allowed_instructions: 0n }, 'Create a session that may pay nobody, until'],
  [
    { allowed_instructions: 6n },
    'Create a session that may pay nobody, and may move the vault’s money into the yield reserve and out of the yield reserve, until',
  ],
  [{ daily_cap: 2n ** 63n }, '9,223,372,036,854.775808 USDC in 24 hours'],
])('says of a session with %o: %s', (changed, text) => {
  expect(sentence('add_session', changed)).toContain(text);
});

it.each([
  [
    'update_session_limits',
    {},
    /^Change the limits .* at most 5\.00 USDC per payment and 50\.00 USDC/,
  ],
  ['update_session_allowlist', {}, 'can pay only the 2 below'],
  ['update_session_allowlist', { recipients: [ONE] }, 'can pay only the one below'],
  ['update_session_allowlist', { recipients: [] }, 'can pay nobody'],
  ['revoke_session', {}, 'can never spend again'],
  ['set_paused', {}, 'Pause the vault.'],
  ['set_paused', { paused: false }, 'Resume the vault.'],
  ['init_vault', {}, 'at most 25 % may be deployed'],
  ['init_vault', { max_deployed_fraction_bp: 0n }, 'none of which may be deployed'],
  ['owner_withdraw', {}, 'Withdraw 1.25 USDC from the vault'],
  ['owner_withdraw', { amount: 2n ** 64n - 1n }, 'Withdraw all USDC'],
  ['create_token_account', {}, 'Create your own USDC account'],
])('describes %s with %o', (name, changed, text) => {
  expect(sentence(name, changed)).toMatch(text);
});

it.each(Object.entries(PROGRAM_INSTRUCTIONS))(
  'has words for %s with its own arguments',
  (name, form) => {
    const own = new Set<string>(form.args.map(([arg]) => arg));
    const args = Object.fromEntries(Object.entries(values).filter(([arg]) => own.has(arg)));
    expect(describeTransaction([{ name, args }], 'UTC').sentences[0]).toMatch(/^[A-Z].*\.$/);
  },
);

it('describes nothing that it has no words for, and no argument that is missing', () => {
  expect(() => sentence('close_everything')).toThrow('no words');
  expect(() => describeTransaction([{ name: 'owner_withdraw', args: {} }])).toThrow('amount');
  const args = { ...values, recipients: 'all' };
  expect(() => describeTransaction([{ name: 'update_session_allowlist', args }])).toThrow(
    'recipients',
  );
});

it('names the earliest deadline, and none where there is none', () => {
  const later = { ...values, deadline: values.deadline + 60n };
  const two = [
    { name: 'set_paused', args: later },
    { name: 'set_paused', args: values },
  ];
  expect(describeTransaction(two).deadline).toBe(1_795_000_000);
  expect(
    describeTransaction([{ name: 'revoke_session', args: { session_index: 7n } }]).deadline,
  ).toBeNull();
});
