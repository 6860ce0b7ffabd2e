import { AgentWalletError, type ErrorCode } from '@agent-wallet/sdk/owner';
import { expect, it } from 'vitest';
import { describeFailure } from './describe-failure.ts';

const error = (code: ErrorCode, detail = '') => new AgentWalletError({ code, error: code, detail });
const custom = (number: number) => `{"InstructionError":[0,{"Custom":${number}}]}`;

it.each([
  [error('TRANSACTION_MISMATCH'), 'not what you asked for', 'close'],
  [error('SIGNED_MISMATCH'), 'returned another transaction', 'prepare'],
  [error('PENDING'), 'not known yet', 'look'],
  [error('MISSING_SESSION_COOKIE'), 'signed out', 'sign-in'],
  [error('NO_REPLY'), 'not known yet', 'look'],
  [error('TRANSACTION_EXPIRED'), 'has expired', 'prepare'],
  [error('TRANSACTION_FAILED', custom(6_106)), 'deadline has passed', 'prepare'],
  [error('TRANSACTION_FAILED', 'Error Message: DeadlinePassed'), 'deadline has passed', 'prepare'],
  [error('TRANSACTION_FAILED', custom(6_107)), 'Another session was created', 'prepare'],
  [error('TRANSACTION_FAILED', '"err":"BlockhashNotFound"'), 'too old', 'prepare'],
  [error('TRANSACTION_FAILED', '"err":"InsufficientFundsForFee"'), 'too little SOL', 'prepare'],
  [error('TRANSACTION_FAILED', 'Error: insufficient funds'), 'holds less', 'prepare'],
  [error('TRANSACTION_FAILED', custom(61_060)), 'network refused', 'prepare'],
  // The bytes are signed: whatever broke, they may have taken effect.
  [new TypeError('Failed to fetch'), 'not known yet', 'look'],
])('of %s while it is sent: %s, then %s', (given, title, next) => {
  const failure = describeFailure(given, 'sending');
  expect(failure.title).toContain(title);
  expect(failure.next).toBe(next);
});

it.each([
  [Object.assign(new Error('User rejected the request.'), { code: 4_001 }), 'You declined'],
  [new Error('Transaction cancelled'), 'You declined'],
  [new Error('Unknown account'), 'another account'],
  [new Error('Wallet is on a different network'), 'another network'],
  [new Error('locked'), 'did not sign'],
])('of %s by the wallet: %s, and the same signature can be asked for again', (given, title) => {
  const failure = describeFailure(given, 'signing');
  expect(failure.title).toContain(title);
  expect(failure.text).toContain('Nothing has changed.');
  expect(failure.next).toBe('sign');
});

it.each([
  [error('NO_REPLY'), 'API does not answer'],
  [error('RPC_UNAVAILABLE'), 'chain cannot be reached'],
  [error('SESSION_ALREADY_REVOKED'), 'revoked already'],
  [error('NOT_PAYABLE'), 'API refused'],
  [new Error('no words'), 'could not be prepared'],
])('of %s before anything was signed: %s', (given, title) => {
  const failure = describeFailure(given, 'preparing');
  expect(failure.title).toContain(title);
  expect(failure.text).toContain('Nothing has changed.');
});
