import { type AgentWalletError, formatUsdc, isAgentWalletError } from '@agent-wallet/sdk';
import { z } from 'zod';
import { timeOrNull } from '../fields.ts';
import { wordsFor } from './words.ts';

/** Why a call was refused, and what the model can do: never an exception. */
export const refusalSchema = z.object({
  code: z.string().describe('Stable name of the reason.'),
  reason: z.string(),
  remedy: z.string().describe('What you, or the owner of the money, can do.'),
  try_again: z
    .enum(['no', 'same_call', 'new_request_id'])
    .describe(
      'no: the same call will be refused again; a changed one needs a new request_id. ' +
        'same_call: repeat the call with the same arguments and the same request_id. ' +
        'new_request_id: repeat the call with a new request_id; this one is used up.',
    ),
  not_before: z
    .string()
    .nullable()
    .describe('ISO 8601: earliest time at which trying again can succeed, if known.'),
  amounts: z
    .record(z.string(), z.string())
    .describe('Amounts that explain the refusal, in USDC, such as quoted or deficit.'),
  spend_id: z.string().nullable().describe('The spend that was refused, for get_spend.'),
});

export type Refusal = z.output<typeof refusalSchema>;

/** The refusals after which the same call, under its request_id, goes on and cannot pay twice. */
const CONTINUES: ReadonlySet<string> = new Set(['PENDING', 'NO_REPLY', 'SERVICE_DID_NOT_DELIVER']);

/** The refusal for anything that a call has thrown. Only an `AgentWalletError` is quoted. */
export function refusalOf(
  error: unknown,
  onFault: ((fault: unknown) => void) | undefined,
): Refusal {
  if (isAgentWalletError(error)) return refusalOfWallet(error);
  onFault?.(error);
  return {
    code: 'TOOL_FAULT',
    reason: 'The tool failed in a way that it does not know.',
    remedy:
      'Look at list_spends before you pay again, and repeat a payment under the same request_id only.',
    try_again: 'same_call',
    not_before: null,
    amounts: {},
    spend_id: null,
  };
}

/** The refusal of arguments that do not fit a tool's schema. */
export function inputRefusal(error: z.ZodError): Refusal {
  const faults = error.issues.map(
    ({ path, message }) => `${path.join('.') || 'input'}: ${message}`,
  );
  return changed('INVALID_INPUT', `The arguments are not valid. ${faults.join('; ')}.`);
}

/** A refusal by a limit of the tools themselves: nothing was sent. */
export const overToolLimit = (limit: bigint): Refusal =>
  changed(
    'OVER_TOOL_LIMIT',
    `The amount is above the ${formatUsdc(limit)} USDC that these tools may spend in one call.`,
    'Use a smaller amount, or have the person who runs these tools raise the limit.',
  );

/** A refusal after which only a changed call can succeed. */
export function changed(
  code: string,
  reason: string,
  remedy = 'Correct the arguments. No money moved.',
): Refusal {
  const none = { not_before: null, amounts: {}, spend_id: null };
  return { code, reason, remedy, try_again: 'no', ...none };
}

/** A refusal without its error: of a quote, or of a spend that was rejected. */
export type RefusedFields = Pick<
  AgentWalletError,
  'error' | 'retryable' | 'remedy' | 'detail' | 'details'
> & { readonly code: string };

function refusalOfWallet(error: AgentWalletError): Refusal {
  return describeRefusal({ ...fieldsOf(error), code: error.sentCode });
}

const fieldsOf = ({ error, retryable, remedy, detail, details }: AgentWalletError) => ({
  error,
  retryable,
  remedy,
  detail,
  details,
});

/** A refusal in words. */
export function describeRefusal(refused: RefusedFields): Refusal {
  const { code, details } = refused;
  const { resets_at: resetsAt, opens_at: opensAt, spend_id: spendId = null, ...rest } = details;
  const amounts = Object.entries(rest).flatMap(([name, value]) =>
    typeof value === 'bigint' ? [[name, formatUsdc(value)] as const] : [],
  );
  return {
    code,
    ...wordsFor(refused),
    try_again: tryAgain(refused),
    not_before: timeOrNull(resetsAt ?? opensAt ?? null),
    amounts: Object.fromEntries(amounts),
    spend_id: spendId,
  };
}

/** The API's remedy names the key to use: a spend that was signed keeps its own for ever. */
function tryAgain({ code, retryable, remedy }: RefusedFields): Refusal['try_again'] {
  if (CONTINUES.has(code)) return 'same_call';
  if (!retryable) return 'no';
  return remedy?.includes('new Idempotency-Key') === true ? 'new_request_id' : 'same_call';
}
