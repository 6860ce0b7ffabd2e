import {
  type AgentWallet,
  type AgentWalletError,
  createAgentWallet,
  isAgentWalletError,
  type Pending,
  type Transfer,
} from '@agent-wallet/sdk';
import type { SpendLedger, SpendRequest } from './spend-ledger.ts';

/** What a call that spends came to; `reply` is that of the client. */
export type Told<Reply = Transfer> =
  | { readonly kind: 'confirmed'; readonly reply: Reply }
  | { readonly kind: 'pending'; readonly spendId: string }
  | { readonly kind: 'refused'; readonly refusal: AgentWalletError };

type Settled = { readonly spend_id: string; readonly tx_signature: string };

/** An agent holds an API key and nothing else. */
export type Agent = {
  readonly wallet: AgentWallet;
  transfer(request: Payment): Promise<Told>;
  /** Tells the outcome of a call of `wallet` that makes this spend, and records it. */
  tell<Reply extends Settled & { readonly status: 'confirmed' }>(
    request: SpendRequest,
    call: Promise<Reply | Pending>,
  ): Promise<Told<Reply>>;
  /** Waits until a pending spend is settled, and records it. */
  follow(request: SpendRequest, spendId: string): Promise<void>;
  /** Liquid USDC of the vault, in base units. */
  liquid(): Promise<bigint>;
};

/** A transfer to the address of an owner; `amount` in base units. */
export type Payment = {
  readonly recipient: string;
  readonly amount: bigint;
  readonly idempotencyKey?: string;
};

/** Above the age (180 s) after which the system does not sign a spend again. */
const SETTLE_TIMEOUT_MS = 240_000;
/** Refusals before any decision: a refused key or a request that is no new spend. No audit row. */
const UNDECIDED: ReadonlySet<number | null> = new Set([400, 401, 404, 409, 413, 415, 429]);

/** An agent that holds `apiKey` and records each outcome in `ledger`. */
export function createAgent(deps: {
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly ledger: SpendLedger;
  readonly ended: AbortSignal;
}): Agent {
  const { apiUrl: url, apiKey, ledger, ended: signal } = deps;
  const wallet = createAgentWallet({ url, apiKey });

  const tell: Agent['tell'] = async (request, call) => {
    const told = await outcomeOf(call);
    if (told.kind === 'confirmed') {
      ledger.allow(request, told.reply.spend_id, told.reply.tx_signature);
    }
    if (told.kind === 'refused' && isDecision(told.refusal)) ledger.deny(request, told.refusal);
    return told;
  };

  return {
    wallet,
    tell,
    transfer: (request) => {
      const { idempotencyKey, ...payment } = request;
      return tell(request, wallet.transfer(payment, { idempotencyKey, signal }));
    },
    follow: async (request, spendId) => {
      try {
        const settled = await wallet.waitFor(spendId, { timeoutMs: SETTLE_TIMEOUT_MS, signal });
        ledger.allow(request, spendId, settled.tx_signature);
      } catch (error) {
        if (!isAgentWalletError(error) || error.code === 'PENDING') throw error;
        ledger.deny(request, error);
      }
    },
    liquid: async () => (await wallet.position({ signal })).liquid ?? -1n,
  };
}

/** Throws what is no refusal of the API. */
async function outcomeOf<Reply extends Settled & { readonly status: 'confirmed' }>(
  call: Promise<Reply | Pending>,
): Promise<Told<Reply>> {
  try {
    const reply = await call;
    return reply.status === 'pending'
      ? { kind: 'pending', spendId: reply.spend_id }
      : { kind: 'confirmed', reply };
  } catch (error) {
    if (!isAgentWalletError(error) || error.status === null) throw error;
    return { kind: 'refused', refusal: error };
  }
}

/**
 * A 503 before acceptance has no spend: no decision was made and the log has no row. A 409 is a
 * decision where it is about the reserve, and otherwise about the idempotency key.
 */
const isDecision = ({ status, code, details }: AgentWalletError): boolean =>
  code === 'PARTIAL_LIQUIDITY' ||
  (!UNDECIDED.has(status) && (status !== 503 || details.spend_id !== undefined));
