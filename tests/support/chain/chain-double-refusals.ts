/** The refusals of the in-memory chain, as a node reports them: as an error and as log lines. */
import { SPEND_INSTRUCTION } from './chain-double-bytes.ts';

export type Refusal = { readonly name: string; readonly number: number };

export const FRACTION: Refusal = { name: 'DeployedFractionExceeded', number: 6200 };
export const DEPLOYED: Refusal = { name: 'WithdrawExceedsDeployed', number: 6201 };
export const LIMIT: Refusal = { name: 'AmountExceedsMaxPerTx', number: 6001 };
export const PAUSED: Refusal = { name: 'VaultPaused', number: 6006 };
export const USED: Refusal = { name: 'SpendAlreadyExecuted', number: 6051 };

export const errorOf = (refusal: Refusal | null): unknown =>
  refusal && { InstructionError: [SPEND_INSTRUCTION, { Custom: refusal.number }] };

export function logsOf(programId: string, refusal: Refusal | null): readonly string[] {
  if (refusal === null) return [];
  const { name, number } = refusal;
  const told = `Error Code: ${name}. Error Number: ${number}. Error Message: no.`;
  return [
    `Program ${programId} invoke [1]`,
    `Program log: AnchorError occurred. ${told}`,
    `Program ${programId} failed: custom program error: 0x${number.toString(16)}`,
  ];
}
