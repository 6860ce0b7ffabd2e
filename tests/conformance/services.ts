/** Services that are paid over HTTP, opened where the system under test may reach them. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { Keypair } from '@solana/web3.js';
import { runCatalog } from '../../apps/local/src/demo/cast/operator.ts';
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import {
  replyJson,
  openServiceHost,
  type Sell,
} from '@agent-wallet/local-system/paid-services/service-host.ts';
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import { openFacilitator } from '../support/services/in-process-facilitator.ts';
import { faucet, newRecipient, world } from './world.ts';

/** The price of a call of each, in base units. */
export const PRICE = 1_000;

export type SeenRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

export type PaidServices = AsyncDisposable & {
  readonly origin: string;
  /** Whom all of them want to be paid. */
  readonly payee: string;
  /** The requests below a service's path, oldest first. */
  seen(name: string): readonly SeenRequest[];
};

const sell: Sell = ({ method, url }) => ({ status: 201, body: { sold: true, method, url } });

/**
 * `proof` looks `X-Payment-Proof` up on the chain, `standard` is x402 on the reference server and
 * facilitator; `free` wants nothing, `silent` never answers, `greedy` wants another payee's account
 * to be paid, `thief` takes the proof and hangs up.
 */
export async function openServices(): Promise<PaidServices> {
  const host = await openServiceHost(world.servicePort);
  const payee = await newRecipient();
  const offer = { payTo: payee, asset: world.usdcMint, amount: BigInt(PRICE) };
  const check = createProofCheck({ rpcUrl: world.urls.rpc, ...offer });
  const proof = createProofService({ check, ...offer, sell });
  const stranger = await newRecipient();
  const services: Readonly<Record<string, RequestListener>> = {
    proof,
    standard: await openStandard(offer),
    free: (_request, response) => replyJson(response, 200, {}, { free: true }),
    silent: (request) => request.socket.destroy(),
    greedy: createProofService({ check, ...offer, payTo: stranger, sell }),
    thief: (request, response) => {
      if (request.headers['x-payment-proof'] === undefined) proof(request, response);
      else request.socket.destroy();
    },
  };
  const seen: SeenRequest[] = [];
  host.serve((request, response) => {
    const { method, url, headers } = request;
    seen.push({ method, url, headers });
    services[nameIn(url)]?.(request, response);
  });
  return {
    origin: host.origin,
    payee,
    seen: (name) => seen.filter(({ url }) => nameIn(url) === name),
    [Symbol.asyncDispose]: () => host.stop(),
  };
}

const nameIn = (url = '/'): string => url.split(/[/?]/)[1] ?? '';

async function openStandard(offer: {
  readonly payTo: string;
  readonly asset: string;
  readonly amount: bigint;
}): Promise<RequestListener> {
  const feePayer = Keypair.generate();
  await faucet.sol(feePayer.publicKey, 1_000_000_000);
  const facilitator = await openFacilitator({
    rpcUrl: world.urls.rpc,
    feePayer,
    programId: world.programId,
    usdcMint: world.usdcMint,
  });
  return createX402Service({ facilitator, ...offer, sell });
}

/** `agent-wallet catalog …` on the system under test, or on another database. */
export const catalog = (
  args: readonly string[],
  operator = world.databaseUrls.operator,
): Promise<string> =>
  runCatalog(
    {
      databaseUrls: { operator },
      paidServices: [{ url: `http://127.0.0.1:${world.servicePort}` }],
    },
    args,
  );

/** Enters a service into the catalog and enables it. */
export const addToCatalog = (
  { origin, payee }: PaidServices,
  slug: string,
  options: { readonly name?: string; readonly more?: readonly string[] } = {},
): Promise<string> => {
  const url = `${origin}/${options.name ?? slug}`;
  const terms = ['--pay-to', payee, '--max-price', '5000', '--enabled'];
  return catalog(['add', slug, '--url', url, ...terms, ...(options.more ?? [])]);
};
