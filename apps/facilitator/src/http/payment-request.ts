import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';

const text = z.string().min(1).max(2_048);
const network = z.templateLiteral([z.string(), ':', z.string()]);
const anything = z.record(z.string(), z.unknown());
const U64_DIGITS = 20;

const requirements = z.object({
  scheme: text,
  network,
  amount: z.string().regex(new RegExp(`^[1-9]\\d{0,${U64_DIGITS - 1}}$`), {
    error: 'must be a whole number of base units, as a string',
  }),
  asset: text,
  payTo: text,
  maxTimeoutSeconds: z.number().positive(),
  extra: anything.default({}),
});

const body = z.object({
  x402Version: z.literal(2, { error: 'must be 2: version 1 is not supported' }),
  paymentPayload: z.object({
    x402Version: z.literal(2, { error: 'must be 2: version 1 is not supported' }),
    accepted: z.looseObject({ scheme: text, network }),
    payload: z.object({ transaction: text }),
  }),
  paymentRequirements: requirements,
});

export type PaymentRequest =
  | {
      readonly kind: 'request';
      readonly payload: PaymentPayload;
      readonly requirements: PaymentRequirements;
    }
  | { readonly kind: 'bad'; readonly error: string };

/** Parses the body of /verify and /settle. The error names the field and what it must be. */
export function parsePaymentRequest(value: unknown): PaymentRequest {
  const parsed = body.safeParse(value, { error: describeIssue });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') ?? '';
    return { kind: 'bad', error: `${field === '' ? 'body' : field} ${issue?.message ?? ''}` };
  }
  const { paymentPayload, paymentRequirements } = parsed.data;
  const { x402Version, accepted, payload } = paymentPayload;
  return {
    kind: 'request',
    requirements: paymentRequirements,
    // Of what the payer accepted, the facilitator looks at scheme and network alone.
    payload: { x402Version, payload, accepted: { ...paymentRequirements, ...accepted } },
  };
}

function describeIssue(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`;
  }
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} characters`;
  if (issue.code === 'too_small') return 'must not be empty';
  return issue.path?.at(-1) === 'network' ? 'must be a CAIP-2 id' : 'is not valid';
}
