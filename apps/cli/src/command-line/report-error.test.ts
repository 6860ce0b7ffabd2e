import { AgentWalletError } from '@agent-wallet/sdk';
import { describe, expect, test } from 'vitest';
import { CliError, EXIT } from '../cli-error.ts';
import { reportError } from './report-error.ts';

describe('a failed command', () => {
  test.each([
    [new CliError('No.', { exitCode: EXIT.refused }), 1, 'No.'],
    [new Error('outer', { cause: new Error('inner') }), 2, 'The command failed: outer: inner'],
    [
      new AgentWalletError({
        code: 'VaultPaused',
        error: 'on-chain submission failed',
        status: 402,
      }),
      1,
      'On-chain submission failed (VaultPaused).',
    ],
    [
      new AgentWalletError({ code: 'RPC_UNAVAILABLE', error: 'rpc unavailable', status: 503 }),
      2,
      'Rpc unavailable (RPC_UNAVAILABLE).',
    ],
    [
      new AgentWalletError({ code: 'BAD_REQUEST', error: 'amount must be positive', status: 400 }),
      2,
      'amount must',
    ],
    [new AgentWalletError({ code: 'NO_REPLY', error: 'no reply' }), 2, 'check the URL'],
    [
      new AgentWalletError({ code: 'NO_REPLY', error: 'no reply', idempotencyKey: 'k-7' }),
      3,
      '--idempotency-key k-7, which does not pay twice.',
    ],
    [
      new AgentWalletError({ code: 'PENDING', error: 'unknown', details: { spend_id: 'id' } }),
      3,
      '"agent-wallet agent spend id"',
    ],
    [
      new AgentWalletError({ code: 'PENDING', error: 'unknown', details: { tx_signature: 's' } }),
      3,
      '"agent-wallet owner transaction s"',
    ],
    [
      new AgentWalletError({ code: 'TRANSACTION_MISMATCH', error: 'not what was asked' }),
      1,
      'not what',
    ],
  ])('%s has an exit code and a sentence', (error, exitCode, words) => {
    const report = reportError(error);
    expect(report.exitCode).toBe(exitCode);
    expect(report.sentence.toLowerCase()).toContain(words.toLowerCase());
    expect(report.json.error).not.toBe('');
  });

  test('has its code and amounts as JSON', () => {
    const error = new AgentWalletError({
      code: 'INSUFFICIENT_LIQUID',
      error: 'INSUFFICIENT_LIQUID',
      status: 402,
      details: { deficit: 5n },
    });
    expect(reportError(error).json).toEqual({
      code: 'INSUFFICIENT_LIQUID',
      error: 'INSUFFICIENT_LIQUID',
      deficit: 5n,
    });
  });
});
