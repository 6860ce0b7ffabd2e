import type { OwnerTransaction } from '@agent-wallet/sdk/owner';
import { describeFailure, type Failure } from '../failure/describe-failure.ts';
import { describeTransaction, type TransactionWords } from './describe-transaction.ts';

/** How far one transaction has come. */
export type Stage =
  | { readonly kind: 'preparing' }
  | { readonly kind: 'shown'; readonly words: TransactionWords }
  /** The wallet asks the owner. */
  | { readonly kind: 'signing'; readonly words: TransactionWords }
  | { readonly kind: 'sending'; readonly words: TransactionWords }
  | { readonly kind: 'confirmed'; readonly words: TransactionWords; readonly signature: string }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      /** Null when there was nothing to show yet. */
      readonly words: TransactionWords | null;
      /** Of a transaction whose outcome is not known. */
      readonly signature: string | null;
    };

/** One transaction from its preparation to its confirmation. Each method reports stages. */
export type TransactionRun = {
  /** Gets the transaction, anew if there was one. */
  prepare(): Promise<void>;
  /** Has the owner sign what is shown, sends it and waits. */
  sign(): Promise<void>;
  /** Sends the signed bytes again and waits: they take effect once. */
  look(): Promise<void>;
  /** Reports nothing from now on. */
  leave(): void;
};

/** The network takes a transaction for about a minute after it was prepared. */
const FRESH_MS = 40_000;
/** How long the person waits before the page says that it does not know. */
const SEND_TIMEOUT_MS = 30_000;

type Prepared = {
  readonly transaction: OwnerTransaction;
  readonly words: TransactionWords;
  readonly atMs: number;
};

export function createTransactionRun(deps: {
  readonly prepare: () => Promise<OwnerTransaction>;
  readonly onStage: (stage: Stage) => void;
  readonly nowMs: () => number;
}): TransactionRun {
  const left = new AbortController();
  let prepared: Prepared | null = null;
  let signed: Uint8Array | null = null;

  const report = (stage: Stage): void => {
    if (!left.signal.aborted) deps.onStage(stage);
  };
  const fail = (error: unknown, step: Parameters<typeof describeFailure>[1]): void => {
    const failure = describeFailure(error, step);
    report({
      kind: 'failed',
      failure,
      words: prepared?.words ?? null,
      signature: signatureIn(error),
    });
  };

  async function getTransaction(): Promise<Prepared> {
    signed = null;
    const transaction = await deps.prepare();
    const words = describeTransaction(transaction.instructions);
    prepared = { transaction, words, atMs: deps.nowMs() };
    return prepared;
  }

  async function prepare(): Promise<void> {
    report({ kind: 'preparing' });
    try {
      const { words } = await getTransaction();
      report({ kind: 'shown', words });
    } catch (error) {
      prepared = null;
      fail(error, 'preparing');
    }
  }

  /** What is shown, newer if it is too old to be sent; null when that says something else. */
  async function freshen(shown: Prepared): Promise<Prepared | null> {
    if (deps.nowMs() - shown.atMs <= FRESH_MS) return shown;
    const next = await getTransaction();
    return meaning(next.words) === meaning(shown.words) ? next : null;
  }

  async function send(transaction: OwnerTransaction, bytes: Uint8Array): Promise<void> {
    const words = prepared?.words;
    if (words === undefined) return;
    report({ kind: 'sending', words });
    try {
      const limits = { signal: left.signal, timeoutMs: SEND_TIMEOUT_MS };
      const { tx_signature } = await transaction.send(bytes, limits);
      report({ kind: 'confirmed', words, signature: tx_signature });
    } catch (error) {
      fail(error, 'sending');
    }
  }

  return {
    prepare,
    sign: async () => {
      if (prepared === null) return;
      report({ kind: 'signing', words: prepared.words });
      let step: 'preparing' | 'signing' = 'preparing';
      try {
        const fresh = await freshen(prepared);
        if (left.signal.aborted) return;
        if (fresh === null) {
          report({ kind: 'shown', words: prepared.words });
          return;
        }
        step = 'signing';
        signed = await fresh.transaction.sign();
        if (left.signal.aborted) return;
        await send(fresh.transaction, signed);
      } catch (error) {
        fail(error, step);
      }
    },
    look: async () => {
      if (prepared !== null && signed !== null) await send(prepared.transaction, signed);
    },
    leave: () => left.abort(),
  };
}

/** Without the deadline, which moves. */
const meaning = ({ sentences, addresses }: TransactionWords): string =>
  JSON.stringify([sentences, addresses]);

function signatureIn(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('details' in error)) return null;
  const { details } = error;
  if (typeof details !== 'object' || details === null || !('tx_signature' in details)) return null;
  return typeof details.tx_signature === 'string' ? details.tx_signature : null;
}
