import { describe, expect, it } from 'vitest';
import idl from '../../../../program/idl/agent_wallet.json' with { type: 'json' };
import { PROGRAM_ID, USDC_MINT } from '../fixtures/fake-chain.ts';
import { DASHBOARD, startTestApp, useTestApp } from '../fixtures/test-app.ts';

const t = await useTestApp();

describe('GET /v1/config', () => {
  it('tells anybody about the deployment, with null for what the operator does not name', async () => {
    expect((await t.app.inject('/v1/config')).json()).toEqual({
      api_version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      cluster: 'devnet',
      genesis_hash: expect.any(String),
      program_id: PROGRAM_ID,
      usdc_mint: USDC_MINT,
      idl_url: '/v1/config/idl',
      rpc_url: null,
      explorer_url: null,
      yield_enabled: false,
      agent_extensions: true,
    });
  });

  it('names the RPC endpoint for browsers and the explorer that the operator has set', async () => {
    const publicRpcUrl = 'https://rpc.example.com';
    const explorerUrl = 'https://explorer.example.com/{kind}/{id}';
    await using set = await startTestApp({ publicRpcUrl, explorerUrl, agentExtensions: false });
    expect((await set.app.inject('/v1/config')).json()).toMatchObject({
      rpc_url: publicRpcUrl,
      explorer_url: explorerUrl,
      agent_extensions: false,
    });
  });

  it('may be cached, and read by the dashboard', async () => {
    for (const url of ['/v1/config', '/v1/config/idl']) {
      const { headers } = await t.app.inject({ url, headers: { origin: DASHBOARD } });
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=300',
        'access-control-allow-origin': DASHBOARD,
        vary: 'Origin',
      });
      const foreign = await t.app.inject({ url, headers: { origin: 'https://evil.example' } });
      expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

it('GET /v1/config/idl is the IDL with the address of the deployment', async () => {
  const answer = await t.app.inject('/v1/config/idl');
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.json()).toEqual({ ...idl, address: PROGRAM_ID });
});
