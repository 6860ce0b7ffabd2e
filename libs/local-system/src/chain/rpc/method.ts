import type { z } from 'zod';
import type { ChainEngine } from '../engine/chain-engine.ts';
import { invalidParams } from './rpc-error.ts';

/** Answers one RPC method with the `result` of the reply; throws RpcError. */
export type Method = (chain: ChainEngine, params: readonly unknown[]) => unknown;

/** A method with the schema of its parameters; others are refused with -32602. */
export function method<Params extends z.ZodType>(
  schema: Params,
  run: (chain: ChainEngine, params: z.output<Params>) => unknown,
): Method {
  return (chain, params) => {
    const parsed = schema.safeParse(params);
    if (parsed.success) return run(chain, parsed.data);
    const [issue] = parsed.error.issues;
    const at = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
    throw invalidParams(`Invalid params: ${issue?.message ?? 'unreadable'}${at}`);
  };
}
