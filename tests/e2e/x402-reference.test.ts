/** Standard x402 between our lane and the reference server and facilitator; the api is left out. */
import { findSpends, noteSignature, releaseAttempt } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import type { FacilitatorClient } from '@x402/core/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEgress, type EgressAnswer } from '../../apps/api/src/proxy/egress.ts';
import { parseChallenge } from '../../apps/api/src/proxy/challenge.ts';
import { networkIdOf } from '../../apps/api/src/proxy/payment-networks.ts';
import {
  paymentSignatureHeader,
  signatureInPaymentResponse,
} from '../../apps/api/src/proxy/payment-header.ts';
import { appProcesses } from '../../apps/local/src/app-processes.ts';
import { createFacilitator } from '../../apps/local/src/paid-services/facilitator.ts';
import { openServiceHost } from '../../apps/local/src/paid-services/service-host.ts';
import { createX402Service } from '../../apps/local/src/paid-services/x402-service.ts';
import { createLaneFixture, type LaneFixture } from '../support/lane-fixture.ts';
import { useSystem } from '../support/use-system.ts';
import { waitUntil } from '../support/wait-until.ts';

const PRICE = 25_000n;
const sell = () => ({ status: 200, body: { answer: 42 } });
const host = await openServiceHost();
const egress = createEgress({ loopbackOrigins: [host.origin] });
const system = useSystem({
  processes: (surroundings) => appProcesses(surroundings).filter(({ role }) => role !== 'api'),
});
const feePayer = Keypair.generate();
let fixture: LaneFixture;
let payee: string;
beforeAll(async () => {
  fixture = await createLaneFixture(system());
  payee = await fixture.createRecipient();
  await system().faucet.sol(feePayer.publicKey, 1_000_000_000);
});
afterAll(async () => {
  await host.stop();
  await fixture[Symbol.asyncDispose]();
});

/** The service with a facilitator that has these programs on its list; undefined: its own list. */
async function serve(allowedPrograms: readonly string[] | undefined): Promise<void> {
  const facilitator: FacilitatorClient = await createFacilitator({
    rpcUrl: system().urls.rpc,
    feePayer,
    allowedPrograms,
  });
  const asset = system().usdcMint;
  host.serve(await createX402Service({ facilitator, payTo: payee, asset, amount: PRICE, sell }));
}

async function call(headers: Record<string, string> = {}) {
  const answer: EgressAnswer = await egress({
    method: 'POST',
    url: `${host.origin}/answers`,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"question":"?"}',
    timeoutMs: 30_000,
    maxBytes: 65_536,
  });
  if (answer.kind === 'failed') throw new Error(`${answer.reason}: ${answer.detail}`);
  return answer;
}

/** Probe, challenge, spend, attempt, release: up to the header that pays. */
async function prepare() {
  const probe = await call();
  expect(probe.status).toBe(402);
  const challenge = parseChallenge(probe.headers, probe.body, {
    proof: 'x402',
    network: networkIdOf('devnet'),
    asset: system().usdcMint,
    payTo: payee,
    maxAmount: PRICE,
  });
  if (challenge.kind !== 'offer') throw new Error(JSON.stringify(challenge));
  const { offer, resource } = challenge;
  const wallet = await fixture.createWallet(1_000_000n);
  const session = await fixture.createSession(wallet, { recipients: [payee] });
  const spendId = await fixture.ask(wallet, session, {
    recipient: payee,
    amount: offer.amount,
    kind: 'pay_service',
    url: `${host.origin}/answers`,
    facilitator: { feePayer: offer.feePayer ?? '', memo: offer.memo },
  });
  const released = await waitUntil('the attempt', () => releaseAttempt(fixture.db, spendId));
  const header = paymentSignatureHeader(offer.verbatim, resource, released.wire);
  return { wallet, spendId, header };
}

const earned = (): Promise<bigint> => fixture.balance(fixture.program.addresses.usdcAta(payee));

test('what the lane signs is taken, sent and paid for by the reference facilitator', async () => {
  await serve([system().programId]);
  const { wallet, spendId, header } = await prepare();
  const before = await earned();
  const answer = await call({ 'payment-signature': header });
  expect(JSON.parse(answer.body.toString())).toEqual({ answer: 42 });
  expect(answer.status).toBe(200);
  const signature = signatureInPaymentResponse(answer.headers);
  await noteSignature(fixture.db, spendId, signature ?? '');
  const [spend] = await fixture.settled([spendId]);
  expect(spend).toMatchObject({ attempt: 1, code: null, txSignature: signature });
  expect((await earned()) - before).toBe(PRICE);
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(1_000_000n - PRICE);
});

test('the same header a second time moves nothing', async () => {
  await serve([system().programId]);
  const { wallet, spendId, header } = await prepare();
  expect((await call({ 'payment-signature': header })).status).toBe(200);
  await call({ 'payment-signature': header });
  await fixture.settled([spendId]);
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(1_000_000n - PRICE);
});

test('a facilitator that does not list the program refuses, and nothing moves', async () => {
  await serve(undefined);
  const { wallet, spendId, header } = await prepare();
  const answer = await call({ 'payment-signature': header });
  expect(answer.status).toBe(402);
  const told = Buffer.from(answer.headers['payment-required'] ?? '', 'base64').toString();
  expect(told).toContain(`smart_wallet_program_not_allowed: ${system().programId}`);
  expect(signatureInPaymentResponse(answer.headers)).toBeNull();
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(1_000_000n);
  const [spend] = await findSpends(fixture.db, [spendId]);
  expect(spend).toMatchObject({ status: 'in_flight', attempt: 1 });
});
