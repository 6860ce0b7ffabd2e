import {
  createOwnerClient,
  LOCAL,
  type OwnerClient,
  type OwnerSigner,
} from '@agent-wallet/sdk/owner';
import type { LocalService } from '@agent-wallet/local-system/paid-services/local-services.ts';
import type { RunningSystem } from '@agent-wallet/local-system/system/running-system.ts';
import { type Agent, createAgent } from './cast/agent.ts';
import { callJson } from './cast/call-json.ts';
import { type ChainView, createChainView } from './cast/chain-view.ts';
import type { Reporter } from './reporter.ts';
import { runCatalog } from './cast/operator.ts';
import { createSpendLedger, type SpendLedger } from './cast/spend-ledger.ts';

/** The resources that each chapter of the demo uses. */
export type Stage = {
  readonly apiUrl: string;
  readonly reporter: Reporter;
  readonly chain: ChainView;
  readonly ledger: SpendLedger;
  /** Aborted when the demo must stop early. */
  readonly ended: AbortSignal;
  /** Paid services on this machine. */
  readonly paidServices: readonly LocalService[];
  /** Runs `agent-wallet catalog …` as the operator and returns its output. */
  catalog(args: readonly string[]): Promise<string>;
  agentWith(apiKey: string): Agent;
  ownerWith(signer: OwnerSigner): OwnerClient;
  /** Worthless money: lamports, or base units of USDC. */
  faucet(
    address: string,
    gift: { readonly lamports?: number; readonly usdc?: bigint },
  ): Promise<void>;
  /** Acts as the borrowers of the yield reserve; `move` is the body of `POST /reserve`. */
  moveReserve(move: object): Promise<void>;
};

/** The resources of a running system, reached over HTTP and RPC only. */
export function createStage(
  system: Pick<RunningSystem, 'urls' | 'databaseUrls' | 'programId' | 'usdcMint'> & {
    readonly paidServices: readonly LocalService[];
  },
  { reporter, ended }: { readonly reporter: Reporter; readonly ended: AbortSignal },
): Stage {
  const { urls, programId, usdcMint } = system;
  const ledger = createSpendLedger();
  const postLocal = async (url: string, body: object): Promise<void> => {
    const { status, body: reply } = await callJson(url, { body }, ended);
    if (status !== 200) throw new Error(`${url} returned ${status} ${JSON.stringify(reply)}`);
  };
  return {
    apiUrl: urls.api,
    reporter,
    chain: createChainView(system, ended),
    ledger,
    ended,
    paidServices: system.paidServices,
    catalog: (args) => runCatalog(system, args),
    agentWith: (apiKey) => createAgent({ apiUrl: urls.api, apiKey, ledger, ended }),
    ownerWith: (signer) =>
      createOwnerClient({
        url: urls.api,
        rpcUrl: urls.rpc,
        deployment: { ...LOCAL, programId, usdcMint },
        signer,
      }),
    faucet: async (address, { lamports, usdc }) => {
      const body = { address, lamports, usdc: usdc?.toString() };
      await postLocal(urls.faucet, body);
    },
    moveReserve: (body) => postLocal(urls.reserve, body),
  };
}
