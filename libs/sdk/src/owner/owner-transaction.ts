import { AgentWalletError } from '../http/agent-wallet-error.ts';
import type { TimeLimit } from '../http/time-limit.ts';
import type { ChainNode } from './chain/chain-node.ts';
import { compareSigned } from './transaction/compare-signed.ts';
import type { OwnerSigner } from './signer/owner-signer.ts';
import type { DecodedInstruction } from './transaction/expected-instruction.ts';

type Limited = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
};

/** A transaction that was decoded and does what was asked. The owner has not signed it yet. */
export type OwnerTransaction = {
  /** In wire form, unsigned. */
  readonly bytes: Uint8Array;
  /** What it does, decoded from the bytes, to be shown before it is signed. */
  readonly instructions: readonly DecodedInstruction[];
  /**
   * Has the owner sign it; returns the wire form for any RPC node. Throws `SIGNED_MISMATCH` when the
   * wallet returns anything else than this transaction with the owner's signature. A newer blockhash
   * and a compute budget, which wallets set, are no difference.
   */
  sign(): Promise<Uint8Array>;
  /**
   * Sends what `sign` returned and waits, like `sendAndConfirm`. To be repeated after `PENDING`: the
   * same bytes take effect once, however often they are sent.
   */
  send(signed: Uint8Array, options?: Limited): Promise<{ readonly tx_signature: string }>;
  /**
   * Has the owner sign it, sends it through the client's `rpcUrl` and waits until it is confirmed.
   * Throws `BAD_REQUEST` without an `rpcUrl`, `TRANSACTION_FAILED` when the chain refuses it, and
   * `PENDING` when the outcome is not known in time.
   */
  sendAndConfirm(options?: Limited): Promise<{ readonly tx_signature: string }>;
};

/** `bytes` were compared with what was asked. */
export function createOwnerTransaction(
  checked: {
    readonly bytes: Uint8Array;
    readonly instructions: readonly DecodedInstruction[];
  },
  deps: {
    readonly signer: OwnerSigner;
    readonly node: ChainNode | null;
    readonly limitOf: (given: Limited) => TimeLimit;
  },
): OwnerTransaction {
  const { signer, node, limitOf } = deps;
  // Copies: nobody who holds the transaction can change what is signed.
  const bytes = Uint8Array.from(checked.bytes);
  const sign = async () => {
    const signed = Uint8Array.from(await signer.signTransaction(Uint8Array.from(bytes)));
    compareSigned(signed, { unsigned: bytes, owner: signer.address });
    return signed;
  };
  const nodeToSend = (): ChainNode => {
    if (node !== null) return node;
    const error = 'rpcUrl must be given to the client that sends transactions';
    throw new AgentWalletError({ code: 'BAD_REQUEST', error });
  };
  return {
    bytes: Uint8Array.from(bytes),
    instructions: checked.instructions,
    sign,
    send: async (signed, options = {}) => ({
      tx_signature: await nodeToSend().sendAndConfirm(signed, limitOf(options)),
    }),
    sendAndConfirm: async (options = {}) => {
      const to = nodeToSend();
      return { tx_signature: await to.sendAndConfirm(await sign(), limitOf(options)) };
    },
  };
}
