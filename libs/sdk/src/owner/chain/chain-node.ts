import bs58 from 'bs58';
import { z } from 'zod';
import { AgentWalletError } from '../../http/agent-wallet-error.ts';
import type { Fetch } from '../../http/http-client.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import { TOKEN_PROGRAM } from '../transaction/addresses.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** The RPC node that the owner has named. */
export type ChainNode = {
  /**
   * Sends a signed transaction and returns its signature once it is confirmed. Throws
   * `TRANSACTION_FAILED` when the chain refuses it, and `PENDING` when the outcome is not known at
   * the end of the time limit.
   */
  sendAndConfirm(signed: Uint8Array, limit: TimeLimit): Promise<string>;
  /** The index of the next session of a vault, at `confirmed`; null where it cannot be read. */
  nextSessionIndex(vault: string, limit: TimeLimit): Promise<bigint | null>;
  /**
   * Whether there is a token account at each of at most 100 addresses, at `confirmed`; null where
   * the node does not say.
   */
  hasTokenAccounts(
    addresses: readonly string[],
    limit: TimeLimit,
  ): Promise<readonly boolean[] | null>;
};

const POLL_MS = 500;
/** In the vault's account, by the IDL: discriminator, version, flags, then `deployed_amount`. */
const NEXT_INDEX_AT = 24;
const U64_BYTES = 8;
/** After the count of signatures and the one of the owner. */
const SIGNATURE_END = 1 + 64;

const reply = z.object({
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const statuses = z.object({
  value: z.array(
    z.looseObject({ err: z.unknown(), confirmationStatus: z.string().nullish() }).nullable(),
  ),
});
const account = z.object({
  value: z.looseObject({ data: z.tuple([z.base64(), z.literal('base64')]) }),
});

const owners = z.object({ value: z.array(z.looseObject({ owner: z.string() }).nullable()) });

/** Sends nothing by itself. */
export function createChainNode(deps: {
  readonly rpcUrl: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
}): ChainNode {
  /** Null where the node does not respond in the form of JSON-RPC. */
  async function call(
    method: string,
    params: readonly unknown[],
    limit: TimeLimit,
  ): Promise<z.output<typeof reply> | null> {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(limit.remainingMs())));
    try {
      const response = await deps.fetch(deps.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.any([timeout, ...(limit.signal === undefined ? [] : [limit.signal])]),
      });
      return reply.parse(await response.json());
    } catch {
      limit.signal?.throwIfAborted();
      return null;
    }
  }

  /** Null where the node does not know the signature, undefined where it does not say. */
  async function statusOf(
    signature: string,
    limit: TimeLimit,
  ): Promise<{ readonly err?: unknown; readonly isConfirmed: boolean } | null | undefined> {
    const options = { searchTransactionHistory: true };
    const answer = await call('getSignatureStatuses', [[signature], options], limit);
    const status = statuses.safeParse(answer?.result).data?.value[0];
    if (status === null || status === undefined) return status;
    return { err: status.err, isConfirmed: status.confirmationStatus !== 'processed' };
  }

  return {
    sendAndConfirm: async (signed, limit) => {
      // Known before it is sent: a lost reply of the node leaves something to look for.
      const signature = bs58.encode(signed.slice(1, SIGNATURE_END));
      const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
      const sent = await call('sendTransaction', [toBase64(signed), options], limit);
      for (;;) {
        const status = await statusOf(signature, limit);
        if (status?.isConfirmed === true) {
          if (status.err === null) return signature;
          throw failed('the transaction failed', JSON.stringify(status.err));
        }
        // Bytes that were sent before may be refused as known or too old: only their status decides.
        if (sent?.error !== undefined && status === null) {
          throw failed(sent.error.message, JSON.stringify(sent.error));
        }
        if (limit.remainingMs() <= POLL_MS) throw unknownOutcome(signature);
        await deps.clock.sleep(POLL_MS, limit.signal);
      }
    },
    nextSessionIndex: async (vault, limit) => {
      const options = { encoding: 'base64', commitment: 'confirmed' };
      const answer = await call('getAccountInfo', [vault, options], limit);
      const found = account.safeParse(answer?.result).data;
      const bytes = fromBase64(found?.value.data[0] ?? '');
      if (bytes.length < NEXT_INDEX_AT + U64_BYTES) return null;
      return new DataView(bytes.buffer).getBigUint64(NEXT_INDEX_AT, true);
    },
    hasTokenAccounts: async (addresses, limit) => {
      // No data: the owner of an account says what it is.
      const slice = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } };
      const options = { ...slice, commitment: 'confirmed' };
      const answer = await call('getMultipleAccounts', [addresses, options], limit);
      const found = owners.safeParse(answer?.result).data?.value;
      if (found?.length !== addresses.length) return null;
      return found.map((one) => one?.owner === TOKEN_PROGRAM);
    },
  };
}

const failed = (error: string, detail: string): AgentWalletError =>
  new AgentWalletError({ code: 'TRANSACTION_FAILED', error, detail });

const unknownOutcome = (signature: string): AgentWalletError =>
  new AgentWalletError({
    code: 'PENDING',
    error: `the outcome of transaction ${signature} is not known yet`,
    retryable: true,
    remedy: 'look at the chain again before you sign another one',
    details: { tx_signature: signature },
  });
