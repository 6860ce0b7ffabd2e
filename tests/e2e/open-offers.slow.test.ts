/** Standard x402 services outside the catalog, paid by an agent's client, when something goes wrong. */
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import { type AgentWallet, createAgentWallet } from '@agent-wallet/sdk';
import { Keypair } from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { createHttpOwner } from '../support/http/http-owner.ts';
import {
  createFaultyFacilitator,
  type FacilitatorFault,
} from '../support/services/faulty-facilitator.ts';
import { openFacilitator } from '../support/services/in-process-facilitator.ts';
import { createCounter, openServiceStreet } from '../support/services/service-street.ts';
import { createLaneFixture, type LaneFixture } from '../support/system/lane-fixture.ts';
import { useSystem } from '../support/system/use-system.ts';

const SHOP = 'https://shop.example';
const PRICE = 20_000n;

// An expiry is proven in some ten seconds.
const system = useSystem({ slotTimeMs: 50 });
const street = await openServiceStreet();
let fixture: LaneFixture;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
  return async () => {
    await street[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  };
});

/** An agent with money for one payment, and a service of its own with that facilitator. */
async function openShop(
  name: string,
  { fault = 'none', lists = true }: { fault?: FacilitatorFault; lists?: boolean },
) {
  const payee = await fixture.createRecipient();
  const feePayer = Keypair.generate();
  await system().faucet.sol(feePayer.publicKey, 1_000_000_000);
  const { program } = fixture;
  const honest = await openFacilitator({
    rpcUrl: system().urls.rpc,
    feePayer,
    programId: lists ? program.programId : Keypair.generate().publicKey.toBase58(),
    usdcMint: program.usdcMint,
  });
  const facilitator = createFaultyFacilitator(honest);
  facilitator.fault = fault;
  const { sell } = createCounter();
  const terms = { payTo: payee, asset: system().usdcMint, amount: PRICE };
  street.open(name, await createX402Service({ ...terms, facilitator, sell }));
  const owner = await createHttpOwner(system(), fixture, PRICE);
  const { apiKey } = await owner.createSession({ recipients: [payee] });
  await owner.client.setPolicy({
    url_allowlist: [{ pattern: `${SHOP}/**`, max_per_call: PRICE }],
    time_window: null,
  });
  const wallet = createAgentWallet({ url: system().urls.api, apiKey, fetch: toStreet });
  return {
    wallet,
    facilitator,
    buy: () => wallet.fetch(`${SHOP}/${name}`, { maxAmount: PRICE, idempotencyKey: 'order' }),
    paid: () => fixture.balance(program.addresses.usdcAta(payee)),
    /** Only with the money of the first payment. */
    transfer: () => wallet.transfer({ recipient: payee, amount: PRICE }),
  };
}

/** Payments are for https URLs only: a host of that scheme stands for the services here. */
function toStreet(url: string | URL, init?: RequestInit): Promise<Response> {
  const { origin, pathname } = new URL(url);
  return origin === SHOP ? fetch(`${street.origin}${pathname}`, init) : fetch(url, init);
}

const newest = async (wallet: AgentWallet) => {
  for await (const spend of wallet.spends()) return spend;
  throw new Error('no spend');
};

test('a refused payment is never sent, and its money is free after the expiry', async () => {
  const shop = await openShop('refusing', { fault: 'refuses' });
  await expect(shop.buy()).rejects.toMatchObject({
    code: 'PAYMENT_REFUSED',
    detail: expect.stringContaining('not today'),
  });
  expect(await newest(shop.wallet)).toMatchObject({ status: 'pending' });
  await expect(shop.transfer()).rejects.toMatchObject({ code: 'INSUFFICIENT_LIQUID' });
  // The same bytes, under the same key: nothing else was signed.
  await expect(shop.buy()).rejects.toMatchObject({ code: 'PAYMENT_REFUSED' });
  expect(shop.facilitator.seen.size).toBe(1);
  const { spend_id } = await newest(shop.wallet);
  await expect(shop.wallet.waitFor(spend_id)).rejects.toMatchObject({ code: 'NOT_SETTLED' });
  await expect(shop.buy()).rejects.toMatchObject({ code: 'NOT_SETTLED' });
  expect(await shop.transfer()).toMatchObject({ status: 'confirmed' });
  expect([shop.facilitator.seen.size, await shop.paid()]).toEqual([1, PRICE]);
});

test('a facilitator that does not list the program moves nothing', async () => {
  const shop = await openShop('unlisted', { lists: false });
  await expect(shop.buy()).rejects.toMatchObject({
    code: 'PAYMENT_REFUSED',
    detail: expect.stringContaining('program_not_allowed'),
  });
  expect(await shop.paid()).toBe(0n);
});

test('a payment that is sent after a refusal is paid once', async () => {
  const shop = await openShop('late', { fault: 'submits after refusing' });
  await expect(shop.buy()).rejects.toMatchObject({ code: 'PAYMENT_REFUSED' });
  const { spend_id } = await newest(shop.wallet);
  await shop.facilitator.quiet();
  const spend = await shop.wallet.waitFor(spend_id);
  await expect(shop.buy()).rejects.toMatchObject({
    code: 'SERVICE_DID_NOT_DELIVER',
    details: { spend_id, tx_signature: spend.tx_signature },
  });
  expect([shop.facilitator.seen.size, await shop.paid()]).toEqual([1, PRICE]);
});

test.each<[string, FacilitatorFault, number]>([
  ['pending', 'says pending', 402],
  ['timeout', 'times out after sending', 502],
])('what the chain shows counts where the service says %s', async (name, fault, status) => {
  const shop = await openShop(name, { fault });
  const response = await shop.buy();
  const { tx_signature, status: outcome } = await newest(shop.wallet);
  expect([response.status, outcome]).toEqual([status, 'confirmed']);
  expect(response.headers.get('x-tx-signature')).toBe(tx_signature);
  expect(await shop.paid()).toBe(PRICE);
});

test('a payment that a service gives up has no signature, and expires', async () => {
  const shop = await openShop('lost', { fault: 'times out before sending' });
  const response = await shop.buy();
  expect(response.status).toBe(502);
  expect(response.headers.has('x-tx-signature')).toBe(false);
  const spendId = response.headers.get('x-spend-id') ?? '';
  await expect(shop.wallet.waitFor(spendId)).rejects.toMatchObject({ code: 'NOT_SETTLED' });
  expect(await shop.paid()).toBe(0n);
});
