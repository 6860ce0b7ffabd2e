import { z } from 'zod';
import { decimalAmount } from '../fields/amount.ts';
import { SAMPLE } from '../fields/samples.ts';

const spendable = z.object({
  now: decimalAmount.describe('Right now.'),
  within_24h: decimalAmount.describe('From now to 86 400 seconds from now.'),
  until_expiry: decimalAmount.describe('From now to the expiry, whose second still counts.'),
});

const holdings = z.object({
  liquid: decimalAmount,
  deployed: decimalAmount,
  value: decimalAmount.describe(
    'What the deployed part is worth; no more than deployed where yield is off or cannot be read.',
  ),
});

const worstCase = {
  paused: z.boolean(),
  holdings,
  by_limits: spendable.describe('Allowed by the limits, whatever the vault holds.'),
  of_holdings: spendable.describe('The same, but no more than the vault holds now.'),
  yield_deposit: decimalAmount.describe('The amount that could be moved to the yield reserve now.'),
  yield_withdraw: decimalAmount.describe(
    'The amount that could be moved out of the yield reserve now.',
  ),
  computed_at: z.int().describe('Unix seconds.'),
};

const SAMPLE_CASE = {
  paused: false,
  holdings: { liquid: '20000000', deployed: '5000000', value: '5001200' },
  by_limits: { now: '4750000', within_24h: '5000000', until_expiry: '145000000' },
  of_holdings: { now: '4750000', within_24h: '5000000', until_expiry: '20000000' },
  yield_deposit: '0',
  yield_withdraw: '0',
  computed_at: SAMPLE.seconds,
};

/** The worst case of one stolen session key. */
export const sessionBlastRadiusAnswer = z
  .object({
    session_id: z.uuid(),
    status: z.enum(['awaiting_owner_signature', 'live', 'expired', 'revoked']),
    expiry: z.int(),
    recipients: z.array(z.string()).describe('No other recipient can be paid.'),
    ...worstCase,
  })
  .meta({
    description: 'The most that a holder of the session key could move.',
    examples: [
      {
        session_id: SAMPLE.sessionId,
        status: 'live',
        expiry: SAMPLE.seconds + 2_592_000,
        recipients: [SAMPLE.recipient],
        ...SAMPLE_CASE,
      },
    ],
  });

/** The worst case of all session keys of a wallet stolen together: a compromised backend. */
export const walletBlastRadiusAnswer = z
  .object({
    wallet_id: z.uuid(),
    live_sessions: z.int().nonnegative(),
    is_complete: z
      .boolean()
      .describe('False when the wallet has more sessions than were counted, newest first.'),
    recipients: z
      .array(z.string())
      .describe('Of all live sessions; no other recipient can be paid.'),
    ...worstCase,
  })
  .meta({
    description: 'The most that a holder of all session keys of the wallet could move.',
    examples: [
      {
        wallet_id: SAMPLE.walletId,
        live_sessions: 1,
        is_complete: true,
        recipients: [SAMPLE.recipient],
        ...SAMPLE_CASE,
      },
    ],
  });
