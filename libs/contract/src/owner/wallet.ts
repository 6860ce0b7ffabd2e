import { z } from 'zod';
import { address } from '../fields/address.ts';
import { amountIn, amountOut } from '../fields/amount.ts';
import { policyAnswer } from './policy.ts';
import { SAMPLE, SAMPLE_POLICY } from '../fields/samples.ts';

const FRACTION_FAULT = 'must be an integer from 0 to 10000 (basis points)';

const fractionIn = z
  .int({ error: FRACTION_FAULT })
  .min(0, { error: FRACTION_FAULT })
  .max(10_000, { error: FRACTION_FAULT })
  .meta({ description: 'Basis points of the balance that may be deployed.' });

export const createWalletBody = z
  .object({ max_deployed_fraction_bp: fractionIn.default(0) }, { error: 'must be a JSON object' })
  .meta({ examples: [{ max_deployed_fraction_bp: 8_000 }] });

export const fractionBody = z
  .object({ max_deployed_fraction_bp: fractionIn }, { error: 'must be a JSON object' })
  .meta({ examples: [{ max_deployed_fraction_bp: 2_500 }] });

/** An empty body pauses: the safe side of a mistake. */
export const pauseBody = z
  .object(
    { paused: z.boolean({ error: 'must be true or false' }).default(true) },
    { error: 'must be a JSON object or empty' },
  )
  .nullish()
  .meta({ examples: [{ paused: true }] });

/** `destination` is a USDC token account of the owner; by default the associated one. */
export const withdrawBody = z
  .object(
    {
      amount: z.union([z.literal('all'), amountIn], {
        error: 'must be a positive number in base units, or "all"',
      }),
      destination: address.optional(),
    },
    { error: 'must be a JSON object' },
  )
  .meta({ examples: [{ amount: 'all' }, { amount: 1_000_000 }] });

/** `txBase64` is unsigned: the owner signs and sends it. */
export const createWalletAnswer = z
  .object({
    wallet_id: z.uuid(),
    txBase64: z.base64().describe('An unsigned transaction: the owner signs and submits it.'),
    vaultPda: z.string(),
    vaultUsdcAta: z.string().describe('Send USDC here once the vault exists.'),
  })
  .meta({
    description: 'The vault exists once the owner has signed and submitted the transaction.',
    examples: [
      {
        wallet_id: SAMPLE.walletId,
        txBase64: SAMPLE.txBase64,
        vaultPda: SAMPLE.vaultPda,
        vaultUsdcAta: SAMPLE.vaultUsdcAta,
      },
    ],
  });

export const walletAnswer = z
  .object({
    wallet_id: z.uuid(),
    owner: z.string(),
    vaultPda: z.string(),
    vaultUsdcAta: z.string(),
    status: z.enum(['pending', 'active']).describe('Active once the vault is on chain.'),
    max_deployed_fraction_bp: z.int().describe('Basis points.'),
    deployed_amount: amountOut,
    liquid: amountOut.nullable(),
    paused: z.boolean(),
    policy: policyAnswer,
    created_at: z.iso.datetime(),
  })
  .meta({
    id: 'Wallet',
    description: 'The wallet by its record and the chain.',
    examples: [
      {
        wallet_id: SAMPLE.walletId,
        owner: SAMPLE.owner,
        vaultPda: SAMPLE.vaultPda,
        vaultUsdcAta: SAMPLE.vaultUsdcAta,
        status: 'active',
        max_deployed_fraction_bp: 2_500,
        deployed_amount: 0,
        liquid: 25_000_000,
        paused: false,
        policy: SAMPLE_POLICY,
        created_at: SAMPLE.iso,
      },
    ],
  });

export const depositAddressAnswer = z
  .object({ address: z.string(), mint: z.string(), cluster: z.string() })
  .meta({
    description: "The vault's USDC token account.",
    examples: [{ address: SAMPLE.vaultUsdcAta, mint: SAMPLE.mint, cluster: 'devnet' }],
  });
