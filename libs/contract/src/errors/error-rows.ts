import type { RefusalBody } from './refusal.ts';
import type { ErrorRow } from './error-row.ts';
import { AGENT_ROWS, OWNER_ROWS } from './authentication-rows.ts';
import { FAULT_ROWS, INNER_FAULT_ROWS } from './fault-rows.ts';
import { REQUEST_ROWS, UNROUTED_ROWS } from './request-rows.ts';
import { RULE_ROWS } from './rule-rows.ts';
import { SERVICE_ROWS } from './service-rows.ts';
import { STATE_ROWS } from './state-rows.ts';

const DOCUMENTED = {
  ...OWNER_ROWS,
  ...AGENT_ROWS,
  ...REQUEST_ROWS,
  ...STATE_ROWS,
  ...RULE_ROWS,
  ...SERVICE_ROWS,
  ...FAULT_ROWS,
};
const ALL = { ...DOCUMENTED, ...UNROUTED_ROWS, ...INNER_FAULT_ROWS };

/** Name of a refusal that routes document. */
export type ErrorName = keyof typeof DOCUMENTED;

/** Name of any refusal. */
export type RefusalName = keyof typeof ALL;

/**
 * The refusals that routes document, by `code`; `PROGRAM` stands for every error name of the
 * program.
 */
export const ERROR_ROWS: Readonly<Record<ErrorName, ErrorRow>> = DOCUMENTED;

/** The row of any refusal, documented or not. */
export const errorRowOf = (name: RefusalName): ErrorRow => ALL[name];

/** Whether a `code` is the name of a row; the names of the program's errors are not. */
export const isRefusalName = (code: string): code is RefusalName => Object.hasOwn(ALL, code);

type VaryingField<Row> =
  | (Row extends { readonly varies: readonly (infer Field extends keyof RefusalBody)[] }
      ? Field
      : never)
  | (Row extends { readonly retryable: null } ? 'retryable' : never);

type ContractField = 'error' | 'code' | 'layer' | 'retryable';

/** Body fields of one refusal: the fields that its row leaves open, and any optional field. */
export type RefusalFields<Name extends RefusalName> = Pick<
  RefusalBody,
  VaryingField<(typeof ALL)[Name]>
> &
  Partial<Omit<RefusalBody, ContractField>>;
