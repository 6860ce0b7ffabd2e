import type { Rpc, WalletProgram } from '@agent-wallet/chain';

/**
 * Whether the chain shows no session of ours at an address, read at `confirmed` at or past
 * `minSlot`. Throws RPC_UNAVAILABLE when there is no such answer.
 */
export function createIsSessionAbsent(
  rpc: Pick<Rpc, 'accounts'>,
  program: WalletProgram,
): (sessionPda: string, minSlot: bigint) => Promise<boolean> {
  return async (sessionPda, minSlot) => {
    const read = await rpc.accounts([sessionPda], {
      commitment: 'confirmed',
      minContextSlot: minSlot,
    });
    const account = read.accounts[0] ?? null;
    return account === null || program.decodeSession(account) === null;
  };
}
