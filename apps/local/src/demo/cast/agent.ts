import {
  pendingAnswer,
  refusal,
  type RefusalBody,
  spendAnswer,
  transferAnswer,
  yieldPositionAnswer,
} from '@agent-wallet/contract';
import { type HttpReply, bodyOf, type CallApi } from './call-api.ts';
import { poll } from '../poll.ts';
import type { TransferRequest, SpendLedger } from './spend-ledger.ts';

/** The reply to POST /v1/spend/transfer. */
export type TransferReply =
  | {
      readonly kind: 'confirmed';
      readonly status: 200;
      readonly spendId: string;
      readonly txSignature: string;
    }
  | {
      readonly kind: 'pending';
      readonly status: 202;
      readonly spendId: string;
      readonly location: string;
    }
  | { readonly kind: 'refused'; readonly status: number; readonly refusal: RefusalBody };

/** An agent holds a bearer key and nothing else. */
export type Agent = {
  /** One POST /v1/spend/transfer. */
  transfer(request: TransferRequest): Promise<TransferReply>;
  /** Follows a 202 at its Location until the spend is settled. */
  follow(request: TransferRequest, location: string): Promise<'confirmed' | 'rejected'>;
  position(): Promise<HttpReply>;
  /** Liquid USDC of the vault, in base units. */
  liquid(): Promise<bigint>;
  /** A GET of any path with the agent's key. */
  get(path: string): Promise<HttpReply>;
};

/** Above the age (180 s) after which the system does not sign a spend again. */
const SETTLE_TIMEOUT_MS = 240_000;
/** Refusals before any decision: a refused key or a request that is no new spend. No audit row. */
const UNDECIDED = new Set([400, 401, 404, 409, 413, 415, 429]);

/** An agent that holds `apiKey` and records each outcome in `ledger`. */
export function createAgent(deps: {
  readonly callApi: CallApi;
  readonly apiKey: string;
  readonly ledger: SpendLedger;
  readonly ended: AbortSignal;
}): Agent {
  const { callApi, apiKey, ledger, ended } = deps;
  const authorization = { authorization: `Bearer ${apiKey}` };
  const get = (path: string): Promise<HttpReply> =>
    callApi('GET', path, { headers: authorization });

  async function transfer(request: TransferRequest): Promise<TransferReply> {
    const { recipient, amount, idempotencyKey } = request;
    const key = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const reply = readReply(
      await callApi('POST', '/v1/spend/transfer', {
        headers: { ...authorization, ...key },
        body: { recipient, amount: amount.toString() },
      }),
    );
    if (reply.kind === 'confirmed') ledger.allow(request, reply.spendId, reply.txSignature);
    if (reply.kind === 'refused' && isDecision(reply)) ledger.deny(request, reply.refusal);
    return reply;
  }

  async function follow(
    request: TransferRequest,
    location: string,
  ): Promise<'confirmed' | 'rejected'> {
    const spend = await poll(
      `the outcome at ${location}`,
      async () => {
        const seen = bodyOf(await get(location), spendAnswer);
        return seen.status === 'pending' ? null : seen;
      },
      { timeoutMs: SETTLE_TIMEOUT_MS, ended },
    );
    const { spend_id: spendId, tx_signature: signature, code } = spend;
    if (spend.status !== 'confirmed' || signature === null) {
      ledger.deny(request, { code: code ?? 'no code', spend_id: spendId });
      return 'rejected';
    }
    ledger.allow(request, spendId, signature);
    return 'confirmed';
  }

  const position = (): Promise<HttpReply> => get('/v1/yield/position');
  return {
    transfer,
    follow,
    position,
    liquid: async () => BigInt(bodyOf(await position(), yieldPositionAnswer).liquid ?? -1),
    get,
  };
}

function readReply(answer: HttpReply): TransferReply {
  const { status, body, headers } = answer;
  if (status === 200) {
    const { spend_id: spendId, tx_signature: txSignature } = transferAnswer.parse(body);
    return { kind: 'confirmed', status, spendId, txSignature };
  }
  if (status === 202) {
    const { spend_id: spendId } = pendingAnswer.parse(body);
    return { kind: 'pending', status, spendId, location: headers.get('location') ?? '' };
  }
  return { kind: 'refused', status, refusal: refusal.parse(body) };
}

/** A 503 before acceptance has no spend: no decision was made and the log has no row. */
function isDecision({ status, refusal: body }: TransferReply & { kind: 'refused' }): boolean {
  if (UNDECIDED.has(status)) return false;
  return status !== 503 || body.spend_id !== undefined;
}
