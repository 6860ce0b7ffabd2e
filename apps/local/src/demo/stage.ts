import { z } from 'zod';
import type { RunningSystem } from '../running-system.ts';
import { type Agent, createAgent } from './agent.ts';
import { bodyOf, type CallApi, createCallApi } from './call-api.ts';
import { type ChainView, createChainView } from './chain-view.ts';
import type { Reporter } from './reporter.ts';
import { createSpendLedger, type SpendLedger } from './spend-ledger.ts';

/** What every chapter of the story plays on. */
export type Stage = {
  readonly apiUrl: string;
  readonly reporter: Reporter;
  readonly callApi: CallApi;
  readonly chain: ChainView;
  readonly ledger: SpendLedger;
  /** Aborted when the story is to end before its end. */
  readonly ended: AbortSignal;
  agentWith(apiKey: string): Agent;
  /** Worthless money: lamports, or base units of USDC. */
  faucet(
    address: string,
    gift: { readonly lamports?: number; readonly usdc?: bigint },
  ): Promise<void>;
};

const faucetAnswer = z.object({ signatures: z.array(z.string()) });

/** The stage on a running system, reached over HTTP and RPC only. */
export function createStage(
  system: Pick<RunningSystem, 'urls' | 'programId' | 'usdcMint'>,
  { reporter, ended }: { readonly reporter: Reporter; readonly ended: AbortSignal },
): Stage {
  const callApi = createCallApi(system.urls.api, ended);
  const ledger = createSpendLedger();
  return {
    apiUrl: system.urls.api,
    reporter,
    callApi,
    chain: createChainView(system, ended),
    ledger,
    ended,
    agentWith: (apiKey) => createAgent({ callApi, apiKey, ledger, ended }),
    faucet: async (address, { lamports, usdc }) => {
      const body = { address, lamports, usdc: usdc?.toString() };
      bodyOf(await callApi('POST', system.urls.faucet, { body }), faucetAnswer);
    },
  };
}
