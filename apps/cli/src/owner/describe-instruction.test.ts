import { expect, test } from 'vitest';
import { PROGRAM_INSTRUCTIONS } from '../../../../libs/sdk/src/owner/transaction/program-instructions.ts';
import { describeInstruction } from './describe-instruction.ts';

const EVERYTHING = 2n ** 64n - 1n;
const LIMITS = {
  max_per_tx: 1_000_000n,
  daily_cap: 5_500_000n,
  expiry: 1_800_000_000n,
  allowed_instructions: 5n,
  session_index: 3n,
};
const ARGS = {
  ...LIMITS,
  max_deployed_fraction_bp: 1_250n,
  recipients: ['A', 'B'],
  paused: true,
  amount: 250_000n,
};

test.each([
  ['init_vault', ARGS, 'create your vault, of which at most 12.5 % may be deployed'],
  [
    'add_session',
    ARGS,
    'create session 3 with at most 1 USDC in one payment, 5.5 USDC in any 24 hours, until 2027-01-15T08:00:00Z, for transfers, yield withdrawals; recipients: A, B',
  ],
  ['update_session_limits', { ...LIMITS, allowed_instructions: 0n }, 'for nothing'],
  ['update_session_allowlist', { ...ARGS, recipients: [] }, 'let session 3 pay only: nobody'],
  ['revoke_session', ARGS, 'revoke session 3 for good'],
  ['set_paused', ARGS, 'pause the vault'],
  ['set_paused', { paused: false }, 'resume the vault'],
  ['owner_withdraw', ARGS, 'withdraw 0.25 USDC of the vault'],
  ['owner_withdraw', { amount: EVERYTHING }, 'withdraw all USDC of the vault'],
  ['something_new', { amount: 7n, paused: false }, 'something_new, amount 7, paused false'],
])('%s, %#: is shown in words', (name, args, words) => {
  expect(describeInstruction({ name, args })).toContain(words);
});

test.each(Object.keys(PROGRAM_INSTRUCTIONS))('%s has words of its own', (name) => {
  expect(describeInstruction({ name, args: ARGS })).not.toContain(name);
});
