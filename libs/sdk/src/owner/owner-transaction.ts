import { badRequest } from '../http/read-url.ts';
import type { TimeLimit } from '../http/time-limit.ts';
import type { ChainNode } from './chain/chain-node.ts';
import type { SendProgress, SignedTransaction } from './chain/send-and-confirm.ts';
import { compareSigned } from './transaction/compare-signed.ts';
import type { OwnerSigner } from './signer/owner-signer.ts';
import type { DecodedInstruction } from './transaction/expected-instruction.ts';

type Limited = {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
};

type SendSettings = Limited & {
  /** Called for each send, and when a node shows the transaction. */
  readonly onProgress?: ((progress: SendProgress) => void) | undefined;
  /**
   * These bytes may have been sent before, by another process. Repeated calls on one transaction are
   * known without it.
   */
  readonly wasSent?: boolean | undefined;
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
   * Sends what `sign` returned through the client's `rpcUrl`, the same bytes again until they are
   * confirmed, and nothing else. To be repeated after `PENDING`: the same bytes take effect once,
   * however often they are sent.
   *
   * Throws `BAD_REQUEST` without an `rpcUrl`, `TRANSACTION_FAILED` when the chain refuses it,
   * `TRANSACTION_EXPIRED` when it can no longer land, so that a new one may be signed, and `PENDING`
   * when the outcome is not known in time. An error of the node decides nothing.
   */
  send(signed: Uint8Array, options?: SendSettings): Promise<{ readonly tx_signature: string }>;
  /** Has the owner sign it and sends it, like `send`. */
  sendAndConfirm(options?: SendSettings): Promise<{ readonly tx_signature: string }>;
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
  const compare = (signed: Uint8Array): SignedTransaction => ({
    bytes: signed,
    ...compareSigned(signed, { unsigned: bytes, owner: signer.address }),
  });
  const sign = async () => {
    const signed = Uint8Array.from(await signer.signTransaction(Uint8Array.from(bytes)));
    compare(signed);
    return signed;
  };
  /** Signatures that a node may have had from an earlier call. */
  const sent = new Set<string>();
  const send = async (to: ChainNode, signed: Uint8Array, options: SendSettings) => {
    const { onProgress, wasSent = false, ...limited } = options;
    const one = compare(Uint8Array.from(signed));
    const given = {
      limit: limitOf(limited),
      onProgress,
      wasSent: wasSent || sent.has(one.signature),
    };
    sent.add(one.signature);
    return { tx_signature: await to.sendAndConfirm(one, given) };
  };
  const nodeToSend = (): ChainNode => {
    if (node !== null) return node;
    throw badRequest('rpcUrl must be given to the client that sends transactions');
  };
  return {
    bytes: Uint8Array.from(bytes),
    instructions: checked.instructions,
    sign,
    send: async (signed, options = {}) => send(nodeToSend(), signed, options),
    sendAndConfirm: async (options = {}) => {
      const to = nodeToSend();
      return send(to, await sign(), options);
    },
  };
}
