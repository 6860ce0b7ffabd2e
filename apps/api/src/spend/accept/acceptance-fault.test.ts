import { AppError } from '@agent-wallet/errors';
import { expect, test } from 'vitest';
import { refuse } from '../../http/http-refusal.ts';
import { describeAcceptanceFault } from './acceptance-fault.ts';

const coded = (code: string) => Object.assign(new Error('a text'), { code });

test.each([
  ['a lock', coded('55P03'), 'lock_timeout', '55P03'],
  [
    'a slow statement',
    new Error('slonik', { cause: coded('57014') }),
    'statement_timeout',
    '57014',
  ],
  ['a deadlock', coded('40P01'), 'rolled_back', '40P01'],
  ['a reset connection', coded('ECONNRESET'), 'connection_lost', null],
  ['a closed connection', coded('EPIPE'), 'connection_lost', null],
  ['the chain', new AppError('RPC_UNAVAILABLE'), 'rpc_unavailable', null],
  ['a row that the database refuses', coded('23514'), 'other', '23514'],
  ['a defect', new TypeError('a text'), 'other', null],
])('names %s, also behind a refusal', (_case, error, cause, sqlState) => {
  expect(describeAcceptanceFault(error)).toEqual({ cause, sqlState });
  if (error instanceof AppError) return;
  const refusal = refuse('DATABASE_UNAVAILABLE', {}, { cause: error });
  expect(describeAcceptanceFault(refusal)).toEqual({ cause, sqlState });
});
