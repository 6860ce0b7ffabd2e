import { expect, it } from 'vitest';
import { pageSettingsOf, parseConfig } from './config.ts';

const NEEDED = {
  API_URL: 'https://api.example.com',
  PROGRAM_ID: 'bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm',
  USDC_MINT: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};
const RPC = { PUBLIC_RPC_URL: 'https://rpc.example.com' };

it('tells the page what it was told, and devnet by default', () => {
  expect(pageSettingsOf(parseConfig(NEEDED))).toEqual({
    apiUrl: 'https://api.example.com',
    cluster: 'devnet',
    programId: NEEDED.PROGRAM_ID,
    usdcMint: NEEDED.USDC_MINT,
    yieldReserve: 'devnet',
    rpcUrl: 'https://api.devnet.solana.com',
    explorerUrl: null,
  });
});

it('never tells the page the RPC endpoint of the other processes', () => {
  const settings = pageSettingsOf(parseConfig({ ...NEEDED, RPC_URL: 'https://rpc.example/key' }));
  expect(JSON.stringify(settings)).not.toContain('rpc.example');
});

it.each([
  ['API_URL', undefined, 'is missing'],
  ['PROGRAM_ID', 'x', 'must be a base58 address'],
  ['EXPLORER_URL', 'https://explorer.example.com', 'must be a URL with {kind} and {id}'],
  ['CLUSTER', 'testnet', 'must be one of devnet, mainnet'],
])('refuses %s = %s', (name, value, what) => {
  expect(() => parseConfig({ ...NEEDED, [name]: value })).toThrow(
    `dashboard: the environment variable ${name} ${what}`,
  );
});

it('has no RPC endpoint for mainnet by itself', () => {
  expect(() => parseConfig({ ...NEEDED, CLUSTER: 'mainnet' })).toThrow(
    'dashboard: the environment variable PUBLIC_RPC_URL must be set where CLUSTER is mainnet',
  );
  expect(parseConfig({ ...NEEDED, ...RPC, CLUSTER: 'mainnet' })).toMatchObject(RPC);
});
