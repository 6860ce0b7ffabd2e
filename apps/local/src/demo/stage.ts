import { z } from 'zod';
import type { LocalService } from '@agent-wallet/local-system/paid-services/local-services.ts';
import type { RunningSystem } from '@agent-wallet/local-system/system/running-system.ts';
import { type Agent, createAgent } from './cast/agent.ts';
import { bodyOf, type CallApi, createCallApi } from './cast/call-api.ts';
import { type ChainView, createChainView } from './cast/chain-view.ts';
import type { Reporter } from './reporter.ts';
import { runCatalog } from './cast/operator.ts';
import { createSpendLedger, type SpendLedger } from './cast/spend-ledger.ts';

/** The resources that each chapter of the demo uses. */
export type Stage = {
  readonly apiUrl: string;
  readonly reporter: Reporter;
  readonly callApi: CallApi;
  readonly chain: ChainView;
  readonly ledger: SpendLedger;
  /** Aborted when the demo must stop early. */
  readonly ended: AbortSignal;
  /** Paid services on this machine. */
  readonly paidServices: readonly LocalService[];
  /** Runs `agent-wallet catalog …` as the operator and returns its output. */
  catalog(args: readonly string[]): Promise<string>;
  agentWith(apiKey: string): Agent;
  /** Worthless money: lamports, or base units of USDC. */
  faucet(
    address: string,
    gift: { readonly lamports?: number; readonly usdc?: bigint },
  ): Promise<void>;
  /** Acts as the borrowers of the yield reserve; `move` is the body of `POST /reserve`. */
  moveReserve(move: object): Promise<void>;
};

const faucetAnswer = z.object({ signatures: z.array(z.string()) });

/** The resources of a running system, reached over HTTP and RPC only. */
export function createStage(
  system: Pick<RunningSystem, 'urls' | 'databaseUrls' | 'programId' | 'usdcMint'> & {
    readonly paidServices: readonly LocalService[];
  },
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
    paidServices: system.paidServices,
    catalog: (args) => runCatalog(system, args),
    agentWith: (apiKey) => createAgent({ callApi, apiKey, ledger, ended }),
    faucet: async (address, { lamports, usdc }) => {
      const body = { address, lamports, usdc: usdc?.toString() };
      bodyOf(await callApi('POST', system.urls.faucet, { body }), faucetAnswer);
    },
    moveReserve: async (body) => {
      bodyOf(await callApi('POST', system.urls.reserve, { body }), faucetAnswer);
    },
  };
}
