/** Requests, attempts and settlements of spends with made-up bytes and signatures. */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  type NewSpend,
  type Settlement,
  type SignedAttempt,
  type Spend,
} from '@agent-wallet/spend';
import bs58 from 'bs58';

import type { RowSession } from './spend-rows.ts';

/** The outcome of a settlement. */
export type Told =
  | { readonly kind: 'landed_ok'; readonly slot?: bigint }
  | { readonly kind: 'landed_error'; readonly slot?: bigint; readonly isFinal?: boolean }
  | { readonly kind: 'expired'; readonly isFinal?: boolean }
  | { readonly kind: 'never_lands'; readonly isFinal?: boolean };

export const newAddress = (): string => bs58.encode(randomBytes(32));
export const newSignature = (): string => bs58.encode(randomBytes(64));

/** A transfer that no rule refuses. */
export function requestedTransfer(session: RowSession, request: Partial<NewSpend> = {}): NewSpend {
  const amount = request.amount ?? 100n;
  return {
    spendId: randomUUID(),
    walletId: session.walletId,
    sessionId: session.sessionId,
    kind: 'transfer',
    amount,
    reserved: amount,
    recipient: newAddress(),
    url: null,
    idempotencyKey: null,
    requestDigest: null,
    balance: null,
    notAfterMs: 60_000,
    ...request,
  };
}

/** The fields of a standard x402 payment. */
export const FACILITATED: Partial<NewSpend> = {
  kind: 'pay_service',
  url: 'https://service.example/paid',
  facilitator: { feePayer: newAddress(), memo: null },
};

/** The next attempt of a spend, with made-up bytes. A facilitator's has no known signature. */
export function signedFor({ broadcaster }: Spend, spendSeq: bigint): SignedAttempt {
  const signed = signedAttempt(spendSeq);
  return broadcaster === 'worker' ? signed : { ...signed, signature: null, feeLamports: 0n };
}

/** A signed attempt with made-up bytes. */
export function signedAttempt(spendSeq: bigint): SignedAttempt {
  return {
    signature: newSignature(),
    wire: randomBytes(200),
    blockhash: newAddress(),
    lastValidBlockHeight: 1_150n,
    blockhashSlot: 1_000n,
    policyVersion: 0,
    sessionIndex: 0n,
    feePayer: newAddress(),
    spendSeq,
    feeLamports: 10_000n,
  };
}

/** The settlement for an outcome on the chain. */
export function settlementOf(
  spend: Pick<Spend, 'walletId' | 'sessionId' | 'spendId' | 'txSignature'>,
  told: Told,
  attemptNo: number,
): Settlement {
  const { walletId, sessionId, spendId } = spend;
  const isFinal = 'isFinal' in told ? told.isFinal : undefined;
  const row = { walletId, sessionId, spendId, attemptNo, isFinal };
  const signature = spend.txSignature ?? newSignature();
  switch (told.kind) {
    case 'landed_ok':
      return { ...row, kind: 'landed_ok', signature, slot: told.slot ?? 2_000n };
    case 'landed_error': {
      const failure = { code: 'DailyCapExceeded', detail: 'the program said no' };
      return { ...row, kind: 'landed_error', signature, slot: told.slot ?? 2_000n, ...failure };
    }
    case 'expired':
      return { ...row, kind: 'expired' };
    case 'never_lands':
      return { ...row, kind: 'never_lands', detail: 'another spend used its number' };
  }
}

/** For settlements of which none may fail. */
export function failOnFailure(_settlement: Settlement, error: unknown): never {
  throw error;
}
