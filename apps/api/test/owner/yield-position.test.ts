import { SANDBOX_RESERVE } from '@agent-wallet/chain';
import { describe, expect, it } from 'vitest';
import { NO_INTEREST } from '../fixtures/fake-chain.ts';
import { changeVault, openSession } from '../fixtures/open-session.ts';
import { signIn } from '../fixtures/signed-in-owner.ts';
import { expectRefused, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

const ONE = 1n << 60n;
const read = '/v1/wallet/yield';

describe('GET /v1/wallet/yield', () => {
  it('shows the owner what is deployed and earned, like the agent', async () => {
    const s = await openSession(t, 10_000_000n);
    changeVault(t, s, { deployedAmount: 5_000_000n });
    t.chain.collateral.set(t.chain.addressesOf(s.owner.pubkey).vaultPda, 5_000_000n);
    t.chain.yieldReserve = SANDBOX_RESERVE;
    // A reserve at 1.1 for a unit of collateral.
    t.chain.reserveState = {
      available: 100_000_000n,
      totalScaled: 110_000_000n * ONE,
      collateralSupply: 100_000_000n,
      interest: NO_INTEREST,
    };
    const position = {
      liquid: '10000000',
      deployed: '5000000',
      accrued: '500000',
      total_balance: '15000000',
    };
    expect((await s.owner.call('GET', read)).json()).toEqual(position);
    expect((await s.call('/v1/yield/position')).json()).toEqual(position);
  });

  it('keeps the last known principal while the chain is unavailable', async () => {
    const s = await openSession(t, 10_000_000n);
    changeVault(t, s, { deployedAmount: 5_000_000n });
    await s.owner.call('GET', read);
    t.chain.isDown = true;
    expect((await s.owner.call('GET', read)).json()).toEqual({
      liquid: null,
      deployed: '5000000',
      accrued: null,
      total_balance: '5000000',
    });
  });

  it('returns 404 before there is a wallet', async () => {
    const owner = await signIn(t);
    expectRefused(await owner.call('GET', read), 404, 'wallet not found');
  });
});
