/** After a lost first send the same bytes are sent again, under the same signature. */
import { describe, expect, test } from 'vitest';
import { CUT, type Fate, FORWARD, type RpcCall } from '../support/rpc-proxy/fault-proxy.ts';
import { readSend } from '../support/rpc-proxy/sends.ts';
import { useWorkersBehindProxy } from '../support/rpc-proxy/use-workers-behind-proxy.ts';

const SPENDS = 5;

describe.each<{ readonly how: string; readonly fateOf: (signature: string) => Fate }>([
  { how: 'on a connection that breaks', fateOf: () => CUT },
  {
    how: 'after a node has taken it',
    fateOf: (signature) => ({ kind: 'answer', result: signature }),
  },
])('a first send that is lost $how', ({ fateOf }) => {
  let lost = 0;

  function loseFirst(call: RpcCall): Fate {
    const send = readSend(call);
    if (send === null || !send.isFirst) return FORWARD;
    lost += 1;
    return fateOf(send.signature);
  }

  const lane = useWorkersBehindProxy(loseFirst);

  test('lands with its first signature', async () => {
    const fixture = lane();
    const wallet = await fixture.createWallet(1_000_000n);
    const recipient = await fixture.createRecipient();
    const session = await fixture.createSession(wallet, { recipients: [recipient] });
    for (let amount = 1n; amount <= SPENDS; amount += 1n) {
      const spendId = await fixture.request(wallet, session, { recipient, amount });
      const [spend] = await fixture.settled([spendId]);
      expect(['confirmed', 'finalized']).toContain(spend?.status);
      expect(spend).toMatchObject({ attempt: 1, code: null });
    }
    expect(lost).toBe(SPENDS);
  });
});
