/** RPC calls since the start of the processes, from their own metric. */
import type { System } from '@agent-wallet/local-system/system/start-system.ts';

const COUNTED = /^agent_wallet_rpc_calls_total\{method="(\w+)"[^}]*\} (\d+)/gm;
const WITH_RPC = ['api', 'tx-worker', 'confirm-worker'] as const;

export type RpcCalls = {
  readonly process: string;
  readonly method: string;
  readonly count: number;
};

/** One entry for each process and method, and more where an outcome or an endpoint differs. */
export async function readRpcCalls({ urls }: System): Promise<readonly RpcCalls[]> {
  const found: RpcCalls[] = [];
  for (const process of WITH_RPC) {
    const reply = await fetch(`${urls.metrics[process]}/metrics`);
    for (const [, method = '', count] of (await reply.text()).matchAll(COUNTED)) {
      found.push({ process, method, count: Number(count) });
    }
  }
  return found;
}

/** The sum of the calls that `isCounted` selects. */
export function sumOf(
  calls: readonly RpcCalls[],
  isCounted: (calls: RpcCalls) => boolean = () => true,
): number {
  return calls.filter(isCounted).reduce((sum, { count }) => sum + count, 0);
}
