/**
 * The services that the wallet is tested against do what such services do: paid by the reference
 * client from a plain wallet, without anything of ours in between.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTransferInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { Connection, Keypair, PublicKey, Transaction } from '@solana/web3.js';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import bs58 from 'bs58';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseChallenge } from '../../apps/api/src/x402/challenge.ts';
import { networkIdOf } from '../../apps/api/src/x402/payment-networks.ts';
import { signatureInPaymentResponse } from '../../apps/api/src/x402/payment-header.ts';
import { localProgramId, USDC_MINT } from '@agent-wallet/local-system/chain/chain-facts.ts';
import {
  type EmbeddedChain,
  startEmbeddedChain,
} from '@agent-wallet/local-system/chain/embedded-chain.ts';
import { createFaucet } from '@agent-wallet/local-system/faucet/faucet.ts';
import {
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import {
  openServiceHost,
  type ServiceHost,
} from '@agent-wallet/local-system/paid-services/service-host.ts';
import { TEST_NETWORK } from '@agent-wallet/local-system/paid-services/test-network.ts';
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import { openFacilitator } from '../support/services/in-process-facilitator.ts';
import { waitUntil } from '../support/wait-until.ts';

const PRICE = 25_000n;
const sell = () => ({ status: 200, body: { weather: 'fine' } });
const dir = mkdtempSync(path.join(tmpdir(), 'paid-services-'));
const payer = Keypair.generate();
const feePayer = Keypair.generate();
const payee = Keypair.generate().publicKey;
const mint = new PublicKey(USDC_MINT);
const payeeAccount = getAssociatedTokenAddressSync(mint, payee);
const payerAccount = getAssociatedTokenAddressSync(mint, payer.publicKey);
const priced = { payTo: payee.toBase58(), asset: USDC_MINT, amount: PRICE };
const wanted = {
  network: networkIdOf('devnet'),
  asset: USDC_MINT,
  payTo: payee.toBase58(),
  maxAmount: PRICE,
};

let chain: EmbeddedChain;
let connection: Connection;
let host: ServiceHost;

beforeAll(async () => {
  chain = await startEmbeddedChain({ slotTimeMs: 100, logFile: path.join(dir, 'chain.log') });
  connection = new Connection(chain.rpcUrl, 'confirmed');
  const faucet = createFaucet({
    connection,
    usdcMint: mint,
    mintAuthority: Keypair.fromSecretKey(bs58.decode(chain.faucetSecretKey)),
  });
  host = await openServiceHost();
  await Promise.all([
    faucet.sol(feePayer.publicKey, 1_000_000_000),
    faucet.sol(payer.publicKey, 1_000_000_000),
    faucet.usdc(payer.publicKey, 1_000_000n),
    faucet.usdc(payee, 1n),
  ]);
});
afterAll(async () => {
  await host.stop();
  await chain.stop();
  rmSync(dir, { recursive: true });
});

async function earned(): Promise<bigint> {
  const { value } = await connection.getTokenAccountBalance(payeeAccount);
  return BigInt(value.amount);
}

async function requestFor(headers: Record<string, string> = {}) {
  const response = await fetch(`${host.origin}/weather`, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

/** A plain transfer to the payee, confirmed; its signature. */
async function pay(amount: bigint): Promise<string> {
  const transaction = new Transaction().add(
    createTransferInstruction(payerAccount, payeeAccount, payer.publicKey, amount),
  );
  const signature = await connection.sendTransaction(transaction, [payer]);
  await waitUntil('the payment', async () => {
    const { value } = await connection.getSignatureStatus(signature);
    return value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized';
  });
  return signature;
}

test('nothing is served before there is a service', async () => {
  expect(await requestFor()).toMatchObject({ status: 503 });
});

test('the service of standard x402 is read by our parser and paid by the reference client', async () => {
  const { rpcUrl } = chain;
  const facilitator = await openFacilitator({
    rpcUrl,
    feePayer,
    programId: localProgramId(),
    usdcMint: USDC_MINT,
  });
  host.serve(await createX402Service({ ...priced, facilitator, sell }));
  const before = await earned();

  const unpaid = await requestFor();
  expect(unpaid.status).toBe(402);
  const found = parseChallenge(unpaid.headers, unpaid.body, { ...wanted, proof: 'x402' });
  expect(found).toMatchObject({
    kind: 'offer',
    dialect: 'v2-header',
    offer: { amount: PRICE, feePayer: feePayer.publicKey.toBase58(), memo: null },
  });

  const signer = await createKeyPairSignerFromBytes(payer.secretKey);
  const client = new x402Client().register(TEST_NETWORK, new ExactSvmScheme(signer, { rpcUrl }));
  const http = new x402HTTPClient(client);
  const required = http.getPaymentRequiredResponse((name) => unpaid.headers[name.toLowerCase()]);
  const payload = await http.createPaymentPayload(required);
  const paid = await requestFor(http.encodePaymentSignatureHeader(payload));
  expect(paid.status).toBe(200);
  expect(JSON.parse(paid.body.toString())).toEqual({ weather: 'fine' });
  expect(signatureInPaymentResponse(paid.headers)).toMatch(/^\w{64,88}$/);
  expect((await earned()) - before).toBe(PRICE);
});

test('the service of X-Payment-Proof takes one transfer once, of the right amount', async () => {
  const check = createProofCheck({ ...priced, rpcUrl: chain.rpcUrl });
  host.serve(createProofService({ ...priced, check, sell }));
  const unpaid = await requestFor();
  expect(unpaid.status).toBe(402);
  const found = parseChallenge(unpaid.headers, unpaid.body, {
    ...wanted,
    proof: 'x-payment-proof',
  });
  expect(found).toMatchObject({ kind: 'offer', offer: { amount: PRICE, feePayer: null } });

  const statusWith = async (proof: string) =>
    (await requestFor({ 'x-payment-proof': proof })).status;
  expect(await statusWith(await pay(PRICE - 1n))).toBe(402);
  expect(await statusWith('nothing')).toBe(402);
  const proof = await pay(PRICE);
  const twice = await Promise.all([statusWith(proof), statusWith(proof)]);
  expect(twice.filter((status) => status === 200)).toHaveLength(1);
  expect(await statusWith(proof)).toBe(402);
});
