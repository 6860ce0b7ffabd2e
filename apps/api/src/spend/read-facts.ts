import { type Database, isSilenceFault } from '@agent-wallet/db';
import { createOpensAt } from '@agent-wallet/policy';
import { readRequestFacts, type RequestFacts, type Spend } from '@agent-wallet/spend';
import { createBatches } from '@agent-wallet/batches';
import type { ChainAccess } from '../chain/chain-access.ts';
import type { RuleFacts } from './rules.ts';
import type { RequestFrame } from './spend-request.ts';

type Deps = {
  readonly db: Database;
  readonly chain: Pick<ChainAccess, 'yieldReserve'>;
  readonly nowMs: () => number;
};

type Asking = Pick<RequestFrame, 'agent' | 'idempotencyKey' | 'digest'>;

/** What a request is judged by before its acceptance. */
type Facts = {
  readonly rules: RuleFacts;
  /** The spend of an earlier request under the same key; null when there is none. */
  readonly replay: Spend | 'key_reused' | null;
};

const QUERIES_AT_ONCE = 2;
const REQUESTS_PER_QUERY = 256;
const ONE_QUEUE = '';

/** Reads the facts of requests that come together in one query. */
export function createReadFacts({ db, chain, nowMs }: Deps): (request: Asking) => Promise<Facts> {
  const batched = createBatches<Asking, RequestFacts>({
    run: (requests) =>
      readRequestFacts(
        db,
        requests.map(({ agent, idempotencyKey }) => ({ ...agent, idempotencyKey })),
      ),
    concurrency: QUERIES_AT_ONCE,
    maxWeight: REQUESTS_PER_QUERY,
    endsWaiting: isSilenceFault,
  });
  const opensAt = createOpensAt();
  return async (request) => {
    const { policy, known } = await batched(ONE_QUEUE, request);
    const isYieldOff = chain.yieldReserve === null;
    const rules = { isYieldOff, policy, nowMs: nowMs(), opensAt, money: null };
    if (known === null) return { rules, replay: null };
    const isSame = known.requestDigest.equals(request.digest);
    return { rules, replay: isSame ? known.spend : 'key_reused' };
  };
}
