/**
 * Several RPC endpoints behind one client. A read goes to the healthiest endpoint and, if that
 * endpoint is at fault, once to the next. A send goes to one endpoint once, because a repeated call
 * is a second send. Reads that must be consistent run on one endpoint from the first call to the
 * last.
 */

import { AppError } from '@agent-wallet/errors';

import type { CallLimits } from './call-pace.ts';
import { createEndpoint, type Endpoint, type OnEndpointCall } from './endpoint.ts';
import { isWorthAnotherEndpoint } from './endpoint-faults.ts';
import { healthOf, readableIndexes, type EndpointHealth } from './endpoint-health.ts';
import { startHealthChecks } from './endpoint-checks.ts';
import type { Fetch } from '../rpc/json-rpc.ts';
import type { Rpc } from '../rpc/rpc.ts';

/** Two transport faults can be chance; five in a row mean that the endpoint is down. */
const FAULTS_TO_OPEN = 5;
const FIRST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 30_000;
/** A single endpoint is retried sooner: a long pause only prolongs the outage. */
const MOST_PAUSE_ALONE_MS = 5_000;
/** A dead endpoint is noticed by its calls; a check notices one that lags or is back. */
const CHECK_EVERY_MS = 5_000;
/** Well above the lag between healthy nodes, well below the overlap of the program feed. */
const MAX_LAG_SLOTS = 30n;
const UNLIMITED: CallLimits = { callsPerS: undefined, callsPerMethodPerS: undefined };
/** The first endpoint and one failover. */
const MOST_READ_TRIES = 2;

export type RpcPoolOptions = {
  /** At least one, without duplicates. */
  readonly urls: readonly string[];
  /** Timeout of each single call, with its waits. */
  readonly timeoutMs: number;
  /** By default, calls are not limited. */
  readonly limits?: CallLimits;
  readonly onCall?: OnEndpointCall;
  /** Called with each endpoint's health after each check and when its state changes. */
  readonly onHealth?: (health: EndpointHealth) => void;
  readonly checkEveryMs?: number;
  readonly faultsToOpen?: number;
  /** The transport; tests inject faults here. */
  readonly fetch?: Fetch;
};

/**
 * Runs a function wholly on one endpoint; if that endpoint fails, again from the start on a second.
 */
export type ReadOnOne = <T>(run: (rpc: Rpc, index: number) => Promise<T>) => Promise<T>;

export type RpcPool = AsyncDisposable & {
  /** Number of configured endpoints. */
  readonly size: number;
  readonly genesisHash: string;
  /** Reads with failover; `sendRaw` once, on one endpoint. */
  readonly rpc: Rpc;
  readonly read: ReadOnOne;
  /** The readable endpoints, healthiest first, each without failover. */
  readable(): readonly { readonly index: number; readonly rpc: Rpc }[];
  /** Re-sends bytes to all endpoints concurrently; returns the first acceptance. */
  readonly sendToAll: Rpc['sendRaw'];
};

/**
 * Requests the genesis hash of each endpoint. An endpoint that does not respond is excluded until
 * it does. Throws CHAIN_MISMATCH when two are on different chains and RPC_UNAVAILABLE when none
 * responds.
 */
export async function openRpcPool(options: RpcPoolOptions): Promise<RpcPool> {
  const alone = options.urls.length === 1;
  const report = (): void => {
    for (const health of healthOf(factsOf(endpoints), MAX_LAG_SLOTS)) options.onHealth?.(health);
  };
  const endpoints = options.urls.map((url, index) =>
    createEndpoint(index, {
      ...options,
      url,
      breaker: {
        faultsToOpen: options.faultsToOpen ?? FAULTS_TO_OPEN,
        firstPauseMs: FIRST_PAUSE_MS,
        mostPauseMs: alone ? MOST_PAUSE_ALONE_MS : MOST_PAUSE_MS,
      },
      limits: options.limits ?? UNLIMITED,
      isFreeElsewhere: (method) =>
        readable()
          .slice(0, MOST_READ_TRIES)
          .some((other) => other.index !== index && isFreeFor(other, method)),
      onState: report,
    }),
  );
  const readable = (): readonly Endpoint[] =>
    readableIndexes(factsOf(endpoints), MAX_LAG_SLOTS).flatMap((index) => endpoints[index] ?? []);
  const genesisHash = await agreeOnChain(endpoints);
  const everyMs = options.checkEveryMs ?? CHECK_EVERY_MS;
  // A single endpoint has nothing to be compared with.
  const checks = alone
    ? null
    : await startHealthChecks({ endpoints, genesisHash, everyMs, onRound: report });
  report();
  const read = createReadOnOne(readable);
  return {
    size: endpoints.length,
    genesisHash,
    rpc: rpcOf(read, readable),
    read,
    readable,
    sendToAll: createSendToAll(endpoints),
    [Symbol.asyncDispose]: async () => checks?.stop(),
  };
}

const factsOf = (endpoints: readonly Endpoint[]): ReturnType<Endpoint['facts']>[] =>
  endpoints.map((endpoint) => endpoint.facts());

async function agreeOnChain(endpoints: readonly Endpoint[]): Promise<string> {
  const answers = await Promise.allSettled(endpoints.map(({ rpc }) => rpc.genesisHash()));
  const hashes = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null));
  const agreed = hashes.find((hash) => hash !== null);
  if (agreed === undefined) {
    const [first] = answers;
    throw first?.status === 'rejected' ? first.reason : new RangeError('no RPC endpoint is given');
  }
  const other = hashes.findIndex((hash) => hash !== null && hash !== agreed);
  if (other !== -1) {
    const context = { field: 'genesisHash', endpoint: other, theirs: hashes[other], ours: agreed };
    throw new AppError('CHAIN_MISMATCH', context);
  }
  for (const [index, endpoint] of endpoints.entries()) {
    if (hashes[index] !== null) endpoint.verified(agreed, agreed);
  }
  return agreed;
}

function isFreeFor(endpoint: Endpoint, method: string): boolean {
  return endpoint.facts().breaker === 'closed' && endpoint.takes(method);
}

function noEndpoint(): AppError {
  return new AppError('RPC_UNAVAILABLE', { reason: 'no endpoint is readable' });
}

function createReadOnOne(readable: () => readonly Endpoint[]): ReadOnOne {
  return async (run) => {
    const [first, ...others] = readable().slice(0, MOST_READ_TRIES);
    if (first === undefined) throw noEndpoint();
    try {
      return await run(first.rpc, first.index);
    } catch (error) {
      const [second] = others;
      if (second === undefined || !isWorthAnotherEndpoint(error)) throw error;
      return run(second.rpc, second.index);
    }
  };
}

function createSendToAll(endpoints: readonly Endpoint[]): Rpc['sendRaw'] {
  return async (wire, options) => {
    const ours = endpoints.filter((endpoint) => endpoint.facts().chain === 'ours');
    const replies = await Promise.allSettled(ours.map(({ rpc }) => rpc.sendRaw(wire, options)));
    const answers = replies.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const best = answers.find(({ ok }) => ok) ?? answers[0];
    if (best !== undefined) return best;
    const [failed] = replies;
    throw failed?.status === 'rejected' ? failed.reason : noEndpoint();
  };
}

/** Each method on the healthiest endpoint; a send never on a second one. */
function rpcOf(read: ReadOnOne, readable: () => readonly Endpoint[]): Rpc {
  return {
    genesisHash: () => read((rpc) => rpc.genesisHash()),
    latestBlockhash: () => read((rpc) => rpc.latestBlockhash()),
    slot: (commitment) => read((rpc) => rpc.slot(commitment)),
    firstAvailableSlot: () => read((rpc) => rpc.firstAvailableSlot()),
    heightAndSlot: (commitment) => read((rpc) => rpc.heightAndSlot(commitment)),
    accounts: (addresses, query) => read((rpc) => rpc.accounts(addresses, query)),
    accountsNaming: (program, query) => read((rpc) => rpc.accountsNaming(program, query)),
    tokenAccountsOf: (owner, program, query) =>
      read((rpc) => rpc.tokenAccountsOf(owner, program, query)),
    signatureStatuses: (signatures, query) =>
      read((rpc) => rpc.signatureStatuses(signatures, query)),
    transaction: (signature, commitment) => read((rpc) => rpc.transaction(signature, commitment)),
    signaturesFor: (address, query) => read((rpc) => rpc.signaturesFor(address, query)),
    recentPriorityFees: (writable) => read((rpc) => rpc.recentPriorityFees(writable)),
    simulate: (wire, options) => read((rpc) => rpc.simulate(wire, options)),
    sendRaw: async (wire, options) => {
      const fit = readable();
      const free = fit.filter((endpoint) => isFreeFor(endpoint, 'sendTransaction'));
      // One that is known to have seen the slot does not refuse the preflight for that reason.
      const { minContextSlot = 0n } = options;
      const known = free.find((endpoint) => endpoint.reached() >= minContextSlot);
      const first = known ?? free[0] ?? fit[0];
      if (first === undefined) throw noEndpoint();
      return first.rpc.sendRaw(wire, options);
    },
  };
}
