/** The way out against a scripted RPC node. */
import { Keypair } from '@solana/web3.js';
import { expect, it, test } from 'vitest';
import { z } from 'zod';
import { reply } from '../../../fixtures/scripted-api.ts';
import { newSigner } from '../../../fixtures/scripted-owner.ts';
import { LOCAL } from '../transaction/addresses.ts';
import { createOwnerExit } from './create-owner-exit.ts';
import type { OwnerExit } from './owner-exit.ts';

const fresh = (): string => Keypair.generate().publicKey.toBase58();
const signer = newSigner();
const BLOCKHASH = { result: { context: { slot: 1 }, value: { blockhash: fresh() } } };
const body = z.object({ method: z.string() });

/** An exit whose node gives these replies by method, and the methods that were called. */
function open(replies: Readonly<Record<string, object>>, deployment = LOCAL) {
  const calls: string[] = [];
  const exit = createOwnerExit({
    rpcUrl: 'https://rpc.example.com',
    deployment,
    signer,
    fetch: async (_url, init) => {
      const { method } = body.parse(await new Request('https://rpc.example.com', init).json());
      calls.push(method);
      return reply(
        200,
        replies[method] ?? { error: { code: -32_601, message: 'Method not found' } },
      );
    },
  });
  return { exit, calls };
}

const sessions = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    session_pubkey: fresh(),
    session_index: 65_536n + BigInt(at),
  }));

test('ten sessions are revoked by one transaction, each by its index', async () => {
  const named = sessions(10);
  const { exit } = open({ getLatestBlockhash: BLOCKHASH });
  const { bytes, instructions } = await exit.revoke(named);
  expect(bytes.length).toBeLessThanOrEqual(1_232);
  expect(instructions).toEqual(
    named.map(({ session_index }) => ({ name: 'revoke_session', args: { session_index } })),
  );
});

const { programId, usdcMint } = LOCAL;

it.each<[string, (exit: OwnerExit) => Promise<unknown>]>([
  ['no session', (exit) => exit.revoke([])],
  ['eleven sessions', (exit) => exit.revoke(sessions(11))],
  ['a withdrawal of nothing', (exit) => exit.withdraw({ amount: 0n })],
  ['a redemption of nothing', (exit) => exit.redeem({ collateral: 0n })],
  ['a redemption without a known reserve', (exit) => exit.redeem({ collateral: 1n })],
])('%s is refused before the node is called', async (_name, call) => {
  const { exit, calls } = open({}, { programId, usdcMint });
  await expect(call(exit)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(calls).toEqual([]);
});

test('an account that is no vault of the owner is not taken for none', async () => {
  const data = [Buffer.alloc(104).toString('base64'), 'base64'];
  const value = [{ owner: programId, data, lamports: 1 }, null, null];
  const { exit } = open({ getMultipleAccounts: { result: { context: { slot: 1 }, value } } });
  await expect(exit.vault()).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('a node that does not have a method is an error, and not an empty vault', async () => {
  const { exit, calls } = open({ getLatestBlockhash: BLOCKHASH });
  await expect(exit.vault()).rejects.toMatchObject({
    code: 'RPC_UNAVAILABLE',
    detail: 'Method not found',
  });
  // A missing method does not come back: the call is not repeated.
  expect(calls).toEqual(['getMultipleAccounts']);
});
