import { createHash } from 'node:crypto';
import { Keypair, type PublicKey } from '@solana/web3.js';
import { HTTPFacilitatorClient } from '@x402/core/server';
import type { Faucet } from '../faucet/faucet.ts';
import { createProofCheck, createProofService } from './proof-service.ts';
import { routeByName, type Sell, type ServiceHost } from './service-host.ts';
import { createX402Service } from './x402-service.ts';

/** A paid service of the embedded system, as the operator enters it into the catalog. */
export interface LocalService {
  readonly slug: string;
  readonly url: string;
  readonly payTo: string;
  /** Base units of USDC for one request. */
  readonly price: number;
  readonly proof: 'x-payment-proof' | 'x402';
}

const FORECAST_PRICE = 20_000;
const ALMANAC_PRICE = 30_000;
/** A payee's token account must exist before it can be paid. */
const FIRST_UNIT = 1n;

const sellForecast: Sell = ({ url }) => ({
  status: 200,
  body: { place: url.split('/').at(-1), forecast: 'light rain until noon' },
});
const sellAlmanac: Sell = () => ({ status: 200, body: { sunrise: '05:41', sunset: '20:12' } });

/** The same at every start, so that the sessions of a kept system can still pay it. */
const payeeOf = (slug: string): PublicKey =>
  Keypair.fromSeed(createHash('sha256').update(`payee of ${slug}`).digest()).publicKey;

/**
 * Opens two services at `host`: `forecast` is standard x402 on the reference server and the
 * facilitator at `facilitatorUrl`; `almanac` looks up the signature in `X-Payment-Proof` on the
 * chain.
 */
export async function openLocalServices(
  host: ServiceHost,
  chain: {
    readonly rpcUrl: string;
    readonly usdcMint: string;
    readonly facilitatorUrl: string;
    readonly faucet: Faucet;
  },
): Promise<readonly LocalService[]> {
  const { rpcUrl, usdcMint: asset, facilitatorUrl, faucet } = chain;
  const [forecaster, almanacMaker] = [payeeOf('forecast'), payeeOf('almanac')];
  await Promise.all([forecaster, almanacMaker].map((owner) => faucet.usdc(owner, FIRST_UNIT)));
  const forecast = await createX402Service({
    facilitator: new HTTPFacilitatorClient({ url: facilitatorUrl }),
    payTo: forecaster.toBase58(),
    asset,
    amount: BigInt(FORECAST_PRICE),
    sell: sellForecast,
  });
  const offer = { payTo: almanacMaker.toBase58(), asset, amount: BigInt(ALMANAC_PRICE) };
  const check = createProofCheck({ rpcUrl, ...offer });
  const almanac = createProofService({ check, ...offer, sell: sellAlmanac });
  const services = new Map([
    ['forecast', forecast],
    ['almanac', almanac],
  ]);
  host.serve(routeByName((name) => services.get(name)));
  const at = (slug: string): string => `${host.origin}/${slug}`;
  return [
    {
      slug: 'forecast',
      url: at('forecast'),
      payTo: forecaster.toBase58(),
      price: FORECAST_PRICE,
      proof: 'x402',
    },
    {
      slug: 'almanac',
      url: at('almanac'),
      payTo: offer.payTo,
      price: ALMANAC_PRICE,
      proof: 'x-payment-proof',
    },
  ];
}
