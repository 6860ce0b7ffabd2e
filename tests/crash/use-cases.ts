import type { Way } from './faulty-io.ts';
import { forgetClaims, showOtherTimeline } from './forget.ts';
import type { Processes } from './processes.ts';
import type { AgentRequest, Pays, SmallWorld } from './small-world.ts';

/** One step, made by these processes. */
type Step = (world: SmallWorld, processes: Processes) => unknown;

export type UseCase = {
  readonly name: string;
  /** Steps that lead up to the use case, without a fault. */
  readonly arrange: readonly Step[];
  /** The use case itself, made by the processes whose calls are counted. */
  readonly act: readonly Step[];
  /** What other processes do while it sleeps; {@link GO_ON} by default. */
  readonly meanwhile?: readonly Step[];
  /** For a use case that makes the same calls as another one: the ways that are still tried. */
  readonly ways?: readonly Way[];
  /** What the agents request; transfers by default. */
  readonly pays?: Pays;
  /** Attempts are watched on two endpoints, of which the first sees no landing. */
  readonly firstIsBlind?: boolean;
};

/** Makes the steps one after the other. */
export async function make(
  steps: readonly Step[],
  world: SmallWorld,
  processes = world.processes,
): Promise<void> {
  for (const step of steps) await step(world, processes);
}

const pass =
  (slots: bigint, seconds: number): Step =>
  (world) =>
    world.pass({ slots, seconds });
/** Makes a step by processes without a fault. */
const byOthers =
  (step: Step): Step =>
  (world) =>
    step(world, world.processes);

const request: Step = (world, processes) => world.sendRequests(processes, 0);
const requestAndCancel: Step = (world, processes) => world.sendRequests(processes, 1);
const runLane: Step = ({ sessionId }, processes) => processes.runLane(sessionId);
const runNudged: Step = (world, processes) => world.runNudged(processes);
const sweepQueued: Step = (_, processes) => processes.sweepQueued();
const sweepDeliveries: Step = (_, processes) => processes.sweepDeliveries();
const watch: Step = (_, processes) => processes.watchSignatures();
const finalize: Step = (_, processes) => processes.finalizeLandings();
const follow: Step = (_, processes) => processes.followProgram();
const guard: Step = (_, processes) => processes.guardRecovery();
const endAll: Step = (world) => world.endAll();

const loseNudges: Step = ({ nudged }) => nudged.clear();
const forkOut: Step = ({ chain }) => chain.forkOut();
/** A refusal then lands as a failure. */
const skipPreflight: Step = ({ chain }) => {
  chain.simulates = false;
};
const barFirst: Step = ({ chain, requests: [first] }) => {
  chain.barredAmount = first.amount;
};
const liftBar: Step = ({ chain }) => {
  chain.barredAmount = null;
};
const outcome =
  (isPaid: AgentRequest['isPaid'], of: 'first' | 'last' | 'all'): Step =>
  ({ requests }) => {
    const chosen = { first: requests.slice(0, 1), last: requests.slice(-1), all: requests }[of];
    for (const one of chosen) one.isPaid = isPaid;
  };
const forgetAnswers: Step = ({ requests }) => {
  for (const one of requests) one.answer = undefined;
};

/** The bytes of the first spend's first attempt never arrive, however often they are sent. */
const swallowFirstAttempt: Step = ({ chain, requests: [first] }) => {
  chain.isSwallowed = ({ transfer, attempt }) => transfer.amount === first.amount && attempt === 1;
};
const swallowFirstSend: Step = ({ chain, requests: [first] }) => {
  chain.isSwallowed = ({ transfer, attempt, ofTheseBytes }) =>
    transfer.amount === first.amount && attempt === 1 && ofTheseBytes === 1;
};
const swallowLast: Step = ({ chain, requests }) => {
  chain.isSwallowed = ({ transfer }) => transfer.amount === requests.at(-1)?.amount;
};
const swallowNone: Step = ({ chain }) => {
  chain.isSwallowed = () => false;
};

const service =
  (conduct: SmallWorld['service']['conduct']): Step =>
  (world) => {
    world.service.conduct = conduct;
  };
/** Sends each stored payment to its service, one after the other. */
const deliver: Step = async ({ requests }, processes) => {
  for (const { answer } of requests) {
    if (answer !== undefined && answer !== 'fault') await processes.deliver(answer.spendId);
  }
};
const settleHeldLater: Step = (world) => world.endLater(() => world.service.settleHeld());

/** The first send of the first spend is refused, and the reason is gone before the answer arrives. */
const delayRefusal: Step = async (world) => {
  const { chain, requests, sessionId, processes } = world;
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  chain.barredAmount = requests[0].amount;
  chain.holdRefusal = () => {
    arrived.resolve();
    return answered.promise;
  };
  const run = processes.runLane(sessionId);
  await arrived.promise;
  chain.barredAmount = null;
  chain.holdRefusal = async () => {};
  world.endLater(async () => {
    answered.resolve();
    await run;
  });
};

/**
 * The database forgets every send. The bytes of the first spend arrive after the restore has been
 * detected, the others never.
 */
const forgetWhatArrivesLater: Step = async (world) => {
  const { chain, db, requests } = world;
  const held: Uint8Array[] = [];
  chain.isSwallowed = () => true;
  chain.onWire = (wire, { transfer }) => {
    if (transfer.amount === requests[0].amount) held.push(wire);
  };
  await make(SEND, world);
  await forgetClaims(world);
  await showOtherTimeline(db);
  chain.isSwallowed = () => false;
  chain.onWire = () => {};
  world.endLater(async () => {
    for (const wire of held) await chain.rpc.sendRaw(wire, { skipPreflight: true });
  });
};

/** Leases run out, a barred spend is no longer barred, and all other processes do their work. */
export const GO_ON = [liftBar, pass(2n, 12), sweepQueued, runNudged, sweepDeliveries, watch];
const SEND = [request, runLane];
const LAND = [...SEND, pass(2n, 2)];
const EXPIRE = [swallowFirstAttempt, ...SEND, pass(2n, 2), watch, pass(200n, 80)];
const FOLLOW_TWICE = [follow, pass(1n, 2), follow];
const pay = (conduct: SmallWorld['service']['conduct']): readonly Step[] => [
  service(conduct),
  ...SEND,
  deliver,
];
/** Ends when the forgotten bytes have expired by the height of the chain's tip. */
const GUARD_UNTIL_OPEN = [
  ...[guard, pass(100n, 5), guard, endAll, pass(52n, 3), guard],
  ...[byOthers(sweepQueued), byOthers(runNudged), pass(40n, 3), guard],
];

const TRANSFERS: readonly UseCase[] = [
  { name: 'the api accepts', arrange: [], act: [request] },
  {
    name: 'the api cancels unclaimed spends',
    arrange: [outcome('either', 'all')],
    act: [requestAndCancel],
  },
  { name: 'the lane sends', ways: ['sleeps'], arrange: [request], act: [runLane] },
  {
    name: 'the lane sends, and the agents cancel',
    ways: ['sleeps'],
    arrange: [outcome('either', 'all'), request],
    act: [runLane],
    meanwhile: [forgetAnswers, requestAndCancel],
  },
  {
    name: 'the lane sends, and the first send is lost',
    ways: [],
    arrange: [swallowFirstSend, request],
    act: [runLane],
  },
  {
    name: 'the lane sends, and the first attempt never arrives',
    arrange: [swallowFirstAttempt, request],
    act: [runLane],
  },
  {
    name: 'the lane sends, and a refusal in preflight is soon over',
    ways: ['sleeps'],
    arrange: [outcome('either', 'first'), barFirst, request],
    act: [runLane],
  },
  {
    name: 'the lane signs an expired spend again',
    arrange: [...EXPIRE, watch],
    act: [runLane],
  },
  {
    name: 'the sweep nudges lanes whose nudge was lost',
    arrange: [request, loseNudges, pass(2n, 2)],
    act: [sweepQueued],
  },
  { name: 'the watch confirms landings', arrange: LAND, act: [watch] },
  {
    name: 'the watch sends the same bytes again',
    arrange: [swallowFirstSend, ...SEND, pass(2n, 4)],
    act: [watch],
  },
  {
    name: 'the watch sends again before a late refusal',
    arrange: [outcome('either', 'first'), request, delayRefusal, pass(2n, 4)],
    act: [watch],
  },
  { name: 'the watch proves an expiry', arrange: EXPIRE, act: [watch] },
  {
    name: 'the watch proves an expiry too late to sign again',
    ways: [],
    arrange: [outcome('no', 'first'), ...EXPIRE, pass(200n, 120)],
    act: [watch],
  },
  {
    name: 'two endpoints, and only one saw it land',
    firstIsBlind: true,
    arrange: [...LAND, pass(200n, 200)],
    act: [watch],
  },
  {
    name: 'two endpoints prove an expiry',
    firstIsBlind: true,
    ways: ['before', 'sleeps'],
    arrange: EXPIRE,
    act: [watch],
  },
  {
    name: 'the watch settles a landing that failed',
    arrange: [skipPreflight, ...LAND],
    act: [watch],
  },
  {
    name: 'landings become final',
    arrange: [skipPreflight, ...LAND, watch, pass(40n, 3)],
    act: [finalize],
  },
  {
    name: 'the watch sends again what a fork took back',
    arrange: [...LAND, watch, forkOut, pass(30n, 12), finalize],
    act: [watch],
  },
  {
    name: 'the guard opens a restored database',
    ways: ['dies', 'sleeps'],
    arrange: [forgetWhatArrivesLater],
    act: GUARD_UNTIL_OPEN,
  },
  {
    name: 'the lane meets a forgotten number',
    arrange: [swallowLast, ...LAND, forgetClaims, swallowNone],
    act: [runLane],
  },
  {
    name: 'the follower settles landings that were not watched',
    arrange: LAND,
    act: FOLLOW_TWICE,
  },
];

const YIELD: readonly UseCase[] = [
  {
    name: 'the api accepts withdrawals from yield',
    pays: 'yield_withdraw',
    arrange: [],
    act: [request],
  },
  {
    name: 'the lane sends deposits to yield',
    pays: 'yield_deposit',
    arrange: [request],
    act: [runLane],
  },
  {
    name: 'the lane sends withdrawals',
    pays: 'yield_withdraw',
    arrange: [request],
    act: [runLane],
  },
  {
    name: 'the lane signs an expired withdrawal again',
    pays: 'yield_withdraw',
    ways: ['before', 'dies'],
    // It goes alone, so the next one may not be claimed in time.
    arrange: [outcome('either', 'last'), ...EXPIRE, watch],
    act: [runLane],
  },
  { name: 'the watch confirms withdrawals', pays: 'yield_withdraw', arrange: LAND, act: [watch] },
  {
    name: 'the follower settles deposits that were not watched',
    pays: 'yield_deposit',
    ways: ['before', 'dies'],
    arrange: LAND,
    act: FOLLOW_TWICE,
  },
];

const X402: readonly Omit<UseCase, 'pays'>[] = [
  { name: 'the lane stores what a facilitator sends', arrange: [request], act: [runLane] },
  { name: 'the api releases what a facilitator settles', arrange: SEND, act: [deliver] },
  {
    name: 'the api releases what is settled without an answer',
    ways: ['sleeps'],
    arrange: [service('stays silent'), ...SEND],
    act: [deliver],
  },
  {
    name: 'the watch confirms what a facilitator settled',
    arrange: [...pay('settles'), pass(2n, 2)],
    act: [watch],
  },
  {
    name: 'the watch finds a landing without a hint',
    ways: ['before', 'dies'],
    arrange: [...pay('stays silent'), pass(2n, 2)],
    act: [watch],
  },
  {
    name: 'a facilitator settles a payment that it refused',
    arrange: [...pay('settles later'), pass(140n, 56), settleHeldLater],
    act: [watch],
    meanwhile: [endAll, ...GO_ON],
  },
  {
    name: 'the watch proves that a payment was not settled',
    arrange: [outcome('no', 'all'), ...pay('refuses'), pass(200n, 80)],
    act: [watch],
  },
  {
    name: 'the watch settles a payment that failed',
    ways: ['before', 'dies'],
    arrange: [
      outcome('no', 'first'),
      ...SEND,
      barFirst,
      service('checks nothing'),
      deliver,
      pass(2n, 2),
    ],
    act: [watch],
  },
];

export const USE_CASES: readonly UseCase[] = [
  ...TRANSFERS,
  ...YIELD,
  ...X402.map((useCase): UseCase => ({ ...useCase, pays: 'x402' })),
];
