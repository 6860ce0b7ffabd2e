import type { Rpc } from '@agent-wallet/chain';
import { z } from 'zod';
import { waitUntil } from '../../support/wait-until.ts';

/** The number of signatures that a node accepts in one call. */
const SIGNATURES_PER_CALL = 256;

/**
 * Sends signed chain transactions in their order, which is also that of their execution, and waits
 * until all are confirmed. Throws when one fails.
 */
export async function sendAll(rpc: Rpc, wires: readonly Uint8Array[]): Promise<void> {
  const signatures: string[] = [];
  for (const wire of wires) {
    // A preflight would not see what those before it do.
    const reply = await rpc.sendRaw(wire, { skipPreflight: true });
    if (!reply.ok) throw new Error(`${reply.message} ${JSON.stringify(reply.data)}`);
    signatures.push(z.string().parse(reply.result));
  }
  for (let start = 0; start < signatures.length; start += SIGNATURES_PER_CALL) {
    const some = signatures.slice(start, start + SIGNATURES_PER_CALL);
    await waitUntil('confirmed chain transactions', async () => {
      const { statuses } = await rpc.signatureStatuses(some, { searchHistory: false });
      const failed = statuses.find((one) => one !== null && one.err !== null);
      if (failed !== undefined)
        throw new Error(`a transaction failed: ${JSON.stringify(failed?.err)}`);
      return statuses.every((one) => one !== null && one.confirmationStatus !== 'processed');
    });
  }
}
