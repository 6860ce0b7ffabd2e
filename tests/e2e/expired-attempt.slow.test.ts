import { sql } from 'slonik';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Fate, FORWARD, type RpcCall } from '../support/rpc-proxy/fault-proxy.ts';
import { readSend } from '../support/rpc-proxy/sends.ts';
import { useWorkersBehindProxy } from '../support/rpc-proxy/use-workers-behind-proxy.ts';

/** Signatures of transactions that the proxy kept for itself, again and again. */
const swallowed = new Set<string>();

/** The first transaction ever sent never reaches the chain, and the sender is told that it did. */
function swallowFirst(call: RpcCall): Fate {
  const send = readSend(call);
  if (send === null) return FORWARD;
  const { signature } = send;
  if (swallowed.size > 0 && !swallowed.has(signature)) return FORWARD;
  swallowed.add(signature);
  return { kind: 'answer', result: signature };
}

const lane = useWorkersBehindProxy(swallowFirst, { slotTimeMs: 50 });

test('an attempt that never arrives is proven expired, signed again and landed once', async () => {
  const fixture = lane();
  const wallet = await fixture.createWallet(1_000_000n);
  const recipient = await fixture.createRecipient();
  const session = await fixture.createSession(wallet, { recipients: [recipient] });
  const spendId = await fixture.request(wallet, session, { recipient, amount: 7n });
  const [spend] = await fixture.settled([spendId], 50_000);
  expect(spend).toMatchObject({ attempt: 2, spendSeq: 1n, code: null });
  const attempts = await fixture.db.any(sql.type(
    z.object({ attempt: z.number(), state: z.string(), signature: z.string() }),
  )`
    select attempt, state, signature from attempt
    where spend_id = ${spendId}::uuid order by attempt
  `);
  expect(attempts.map(({ state }) => state)).toEqual(['expired', 'landed']);
  expect([...swallowed]).toEqual([attempts[0]?.signature]);
  expect(spend?.txSignature).toBe(attempts[1]?.signature);
  expect(await fixture.balance(fixture.program.addresses.usdcAta(recipient))).toBe(7n);
  expect(await fixture.balance(wallet.vaultUsdcAta)).toBe(999_993n);
});
