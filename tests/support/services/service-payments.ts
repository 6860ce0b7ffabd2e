/**
 * A system with services that are paid by both ways, whose facilitator fails as told, and what the
 * ledger and the chain say of the payments.
 */
import { findDelivery, findSpends, type Spend } from '@agent-wallet/spend';
import { Keypair } from '@solana/web3.js';
import { sql } from 'slonik';
import { afterAll, beforeAll, expect } from 'vitest';
import { z } from 'zod';
import {
  type CheckProof,
  createProofCheck,
  createProofService,
} from '@agent-wallet/local-system/paid-services/proof-service.ts';
import { createX402Service } from '@agent-wallet/local-system/paid-services/x402-service.ts';
import {
  createFaultyFacilitator,
  type FacilitatorFault,
  type FaultyFacilitator,
} from './faulty-facilitator.ts';
import { createLaneFixture, type LaneFixture } from '../system/lane-fixture.ts';
import { createPayingAgent, type PayingAgent } from '../http/paying-agent.ts';
import { createCounter, openServiceStreet } from './service-street.ts';
import { openFacilitator } from './in-process-facilitator.ts';
import { useSystem } from '../system/use-system.ts';
import { waitUntil } from '../wait-until.ts';

export const PRICE = 25_000n;
const FUNDS = 100_000_000n;
export const SETTLES = { timeoutMs: 60_000, intervalMs: 100 };

type Options = Pick<Parameters<typeof useSystem>[0] & object, 'rpcUrlFor'>;

/** One system for a whole test file. */
export async function useServicePayments(options: Options = {}) {
  const street = await openServiceStreet();
  const system = useSystem({
    // The life of a blockhash: long enough to start a process again, short enough to be proven over.
    slotTimeMs: 200,
    env: { api: { LOOPBACK_SERVICES: street.origin } },
    ...options,
  });
  const feePayer = Keypair.generate();
  let fixture: LaneFixture;
  let payee: string;
  let agent: PayingAgent;
  let facilitator: FaultyFacilitator;

  beforeAll(async () => {
    fixture = await createLaneFixture(system());
    [payee] = await Promise.all([
      fixture.createRecipient(),
      system().faucet.sol(feePayer.publicKey, 1_000_000_000),
    ]);
    agent = await createPayingAgent(system(), fixture, [payee]);
    const { programId, usdcMint, urls } = system();
    facilitator = createFaultyFacilitator(
      await openFacilitator({ rpcUrl: urls.rpc, feePayer, programId, usdcMint }),
    );
  });
  afterAll(async () => {
    await facilitator.quiet();
    await street[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const priced = () => ({ payTo: payee, asset: system().usdcMint, amount: PRICE });

  async function openX402(name: string) {
    const counter = createCounter();
    const { sell } = counter;
    const baseUrl = street.open(name, await createX402Service({ ...priced(), facilitator, sell }));
    return { counter, slug: await agent.enlist({ baseUrl, proof: 'x402', payTo: payee }) };
  }

  /** `before` sees a proof before the service looks at it. */
  async function openProof(name: string, before: CheckProof = () => Promise.resolve('paid')) {
    const honest = createProofCheck({ ...priced(), rpcUrl: system().urls.rpc });
    const proofs: string[] = [];
    const check: CheckProof = async (signature) => {
      proofs.push(signature);
      const verdict = await before(signature);
      return verdict === 'paid' ? honest(signature) : verdict;
    };
    const counter = createCounter();
    const { sell } = counter;
    const baseUrl = street.open(name, createProofService({ ...priced(), check, sell }));
    const slug = await agent.enlist({ baseUrl, proof: 'x-payment-proof', payTo: payee });
    return { counter, proofs, slug };
  }

  /** The one spend that was accepted under this key. */
  async function spendOf(key: string): Promise<Spend | null> {
    const found = await fixture.db.maybeOneFirst(sql.type(z.object({ spend_id: z.string() }))`
      select spend_id from spend
      where session_id = ${agent.sessionId}::uuid and idempotency_key = ${key}
    `);
    return found === null ? null : ((await findSpends(fixture.db, [found]))[0] ?? null);
  }

  const spendIn = (key: string, ...statuses: readonly Spend['status'][]): Promise<Spend> =>
    waitUntil(
      `a spend that is ${statuses.join(' or ')}`,
      async () => {
        const spend = await spendOf(key);
        return spend !== null && statuses.includes(spend.status) && spend;
      },
      SETTLES,
    );

  const deliveryIn = (spendId: string, state: string) =>
    waitUntil(
      `a delivery that is ${state}`,
      async () => {
        const delivery = await findDelivery(fixture.db, spendId);
        return delivery?.state === state && delivery;
      },
      SETTLES,
    );

  /** The balance of the payee, in base units. */
  const earned = (): Promise<bigint> => fixture.balance(fixture.program.addresses.usdcAta(payee));

  /** Ends the lease of a delivery whose process was killed. */
  async function expireLease(spendId: string): Promise<void> {
    await fixture.db.query(sql.unsafe`
      update delivery set lease_until = '-infinity', try_at = now() where spend_id = ${spendId}::uuid
    `);
  }

  /** Calls a new service once while the facilitator behaves as given. */
  async function payUnder(fault: FacilitatorFault, key: string) {
    const { slug, counter } = await openX402(key);
    const before = await earned();
    facilitator.fault = fault;
    const answer = await agent.spend({ slug, path: '/a', key });
    await facilitator.quiet();
    return { slug, counter, answer, before };
  }

  async function rowsOf({ spendId }: Spend) {
    return (await agent.log()).filter((row) => row.spendId === spendId);
  }

  /** Waits until every spend is settled, and compares the vault and the payee with the log. */
  async function expectLedgerMatchesChain(): Promise<void> {
    await waitUntil(
      'every spend is settled',
      async () => {
        const open = await fixture.db.oneFirst(sql.type(z.object({ open: z.bigint() }))`
          select count(*) as open from spend
          where wallet_id = ${agent.walletId}::uuid and status in ('queued', 'in_flight', 'reverted')
        `);
        return open === 0n;
      },
      SETTLES,
    );
    const rows = await agent.log();
    const allowed = rows.filter(({ decision }) => decision === 'allow');
    const paid = allowed.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n);
    expect(await agent.vault()).toBe(FUNDS - paid);
    expect(await earned()).toBe(paid);
    expect(new Set(allowed.map(({ spendId }) => spendId)).size).toBe(allowed.length);
    expect(new Set(allowed.map(({ txSignature }) => txSignature)).size).toBe(allowed.length);
  }

  return {
    street,
    system,
    agent: () => agent,
    facilitator: () => facilitator,
    payee: () => payee,
    openX402,
    openProof,
    spendIn,
    deliveryIn,
    earned,
    expireLease,
    payUnder,
    rowsOf,
    expectLedgerMatchesChain,
  };
}
