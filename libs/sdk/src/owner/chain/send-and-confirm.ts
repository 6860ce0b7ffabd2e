import { z } from 'zod';
import { AgentWalletError } from '../../http/agent-wallet-error.ts';
import type { Clock, TimeLimit } from '../../http/time-limit.ts';
import { toBase64 } from './base64.ts';
import { createExpiryWatch } from './expiry-watch.ts';
import type { RpcNode } from './rpc-node.ts';
import { readSendReply } from './send-reply.ts';

/** A transaction that the owner has signed. */
export type SignedTransaction = {
  readonly bytes: Uint8Array;
  /** Base58, known before the first send: a lost reply leaves something to look for. */
  readonly signature: string;
  readonly blockhash: string;
};

/** How far a transaction has come. */
export type SendProgress = {
  readonly tx_signature: string;
  /** `processed` is in a block that the network has not confirmed yet. */
  readonly status: 'sent' | 'processed' | 'confirmed';
  /** How often these bytes were sent. */
  readonly sends: number;
};

export type SendOptions = {
  readonly limit: TimeLimit;
  readonly onProgress?: ((progress: SendProgress) => void) | undefined;
  /** An earlier call may have passed these bytes on: no refusal of them is a verdict then. */
  readonly wasSent?: boolean | undefined;
};

const POLL_MS = 500;
const RESEND_MS = 2_000;
/** A node whose bank is behind does not know a new blockhash yet. */
const UNKNOWN_BLOCKHASH_MS = 20_000;
/** How often a transaction that has expired must be found absent in a row. */
const LAST_LOOKS = 5;

const CONFIRMED: ReadonlySet<string> = new Set(['confirmed', 'finalized']);

const statuses = z.object({
  value: z.tuple([
    z.looseObject({ err: z.unknown(), confirmationStatus: z.string().nullish() }).nullable(),
  ]),
});

/**
 * Sends a signed transaction, the same bytes again every two seconds, until it is confirmed or can
 * no longer land. Bytes take effect once, however often they are sent; nothing is signed again.
 *
 * Throws `TRANSACTION_FAILED` when it landed with an error, or when a node refused it in its
 * preflight and it was never sent on; `TRANSACTION_EXPIRED` when it was not executed and, by
 * finalized blocks, never will be; `PENDING` when neither is known at the end of the time limit.
 * Errors of the node decide nothing.
 */
export async function sendAndConfirm(
  { bytes, signature, blockhash }: SignedTransaction,
  deps: { readonly node: RpcNode; readonly clock: Clock },
  { limit, onProgress, wasSent = false }: SendOptions,
): Promise<string> {
  const { node, clock } = deps;
  const expiry = createExpiryWatch(blockhash, deps, limit);
  const wire = toBase64(bytes);
  const startMs = clock.nowMs();
  let sends = 0;
  let sentAtMs = -Infinity;
  /** Whether a node may have passed the bytes on. */
  let isOut = wasSent;
  let refusal: { readonly message: string; readonly detail: string } | null = null;
  let isUnknownBlockhash = false;
  let lastLooks = 0;
  let shown = '';
  const show = (status: SendProgress['status']): void => {
    if (shown === `${status} ${sends}`) return;
    shown = `${status} ${sends}`;
    onProgress?.({ tx_signature: signature, status, sends });
  };

  for (;;) {
    // Before the status: what is absent after it has expired will never appear.
    const isExpired = await expiry.isExpired();
    const status = await statusOf(node, signature, limit);
    if (status?.isConfirmed === true) {
      if (status.err !== null) throw failed('the transaction failed', JSON.stringify(status.err));
      show('confirmed');
      return signature;
    }
    if (status?.isConfirmed === false) show('processed');
    if (status === null && refusal !== null && !isOut)
      throw failed(refusal.message, refusal.detail);
    lastLooks = status === null && isExpired ? lastLooks + 1 : 0;
    const isTooOld = isUnknownBlockhash && clock.nowMs() - startMs > UNKNOWN_BLOCKHASH_MS;
    if (lastLooks >= LAST_LOOKS || (status === null && !isOut && isTooOld))
      throw expired(signature);

    if (!isExpired && !status && clock.nowMs() - sentAtMs >= RESEND_MS) {
      sentAtMs = clock.nowMs();
      // Preflight may refuse bytes that are out because they have landed: it decides only before.
      const options = {
        encoding: 'base64',
        preflightCommitment: 'confirmed',
        skipPreflight: isOut,
      };
      const sent = readSendReply(await node.call('sendTransaction', [wire, options], limit));
      sends += 1;
      show('sent');
      isUnknownBlockhash = sent.kind === 'unknown_blockhash';
      refusal = sent.kind === 'refused' ? sent : null;
      isOut ||= sent.kind === 'unknown';
      if (refusal !== null) continue;
    }
    if (limit.remainingMs() <= POLL_MS) throw unknownOutcome(signature);
    await clock.sleep(POLL_MS, limit.signal);
  }
}

/** Null where the node does not know the signature, undefined where it does not say. */
async function statusOf(
  node: RpcNode,
  signature: string,
  limit: TimeLimit,
): Promise<{ readonly err?: unknown; readonly isConfirmed: boolean } | null | undefined> {
  const options = { searchTransactionHistory: true };
  const answer = await node.call('getSignatureStatuses', [[signature], options], limit);
  const status = statuses.safeParse(answer?.result).data?.value[0];
  if (status === null || status === undefined) return status;
  const isConfirmed = CONFIRMED.has(status.confirmationStatus ?? '');
  return { err: status.err, isConfirmed };
}

const NO_FUNDS = /insufficient lamports|InsufficientFundsFor|AccountNotFound/;

const failed = (error: string, detail: string): AgentWalletError =>
  new AgentWalletError({
    code: 'TRANSACTION_FAILED',
    error,
    detail,
    ...(NO_FUNDS.test(detail)
      ? { remedy: "send 0.01 SOL to the owner's address, for fees and rent, and repeat the call" }
      : {}),
  });

const expired = (signature: string): AgentWalletError =>
  new AgentWalletError({
    code: 'TRANSACTION_EXPIRED',
    error: `transaction ${signature} was not executed and can no longer be`,
    retryable: true,
    remedy: 'nothing has changed: request a new one and sign it',
    details: { tx_signature: signature },
  });

const unknownOutcome = (signature: string): AgentWalletError =>
  new AgentWalletError({
    code: 'PENDING',
    error: `the outcome of transaction ${signature} is not known yet`,
    retryable: true,
    remedy: 'send the same bytes again, or look at the chain, before you sign another one',
    details: { tx_signature: signature },
  });
