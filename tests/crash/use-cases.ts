import type { Way } from './faulty-io.ts';
import { forgetClaims, showOtherTimeline } from './forget.ts';
import type { Processes } from './processes.ts';
import type { AgentRequest, Pays, SmallWorld } from './small-world.ts';

/** One step, made by these processes. */
type Step = (world: SmallWorld, processes: Processes) => unknown;

type Options = {
  /** For a use case that makes the same calls as another one: the ways that are still tried. */
  readonly ways?: readonly Way[];
  /** What the agents request; transfers by default. */
  readonly pays?: Pays;
  /** Attempts are watched on two endpoints, of which the first sees no landing. */
  readonly firstIsBlind?: boolean;
  /** What other processes do while it sleeps; {@link GO_ON} by default. */
  readonly meanwhile?: readonly Step[];
};

/**
 * A use case: its name, the steps that lead up to it without a fault, and the steps under test,
 * made by the processes whose calls are counted.
 */
export type UseCase = readonly [
  name: string,
  arrange: readonly Step[],
  act: readonly Step[],
  options?: Options,
];

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
const runLane: Step = ({ walletId }, processes) => processes.runWallet(walletId);
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

/** The first spend's first send is refused; the reason is gone before the answer arrives. */
const delayRefusal: Step = async (world) => {
  const { chain, requests, walletId, processes } = world;
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  chain.barredAmount = requests[0].amount;
  chain.holdRefusal = () => {
    arrived.resolve();
    return answered.promise;
  };
  const run = processes.runWallet(walletId);
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
const FIRST_GUARDS = [guard, pass(100n, 5), guard, endAll, pass(52n, 3), guard];
const LAST_GUARDS = [byOthers(sweepQueued), byOthers(runNudged), pass(40n, 3), guard];
const GUARD_UNTIL_OPEN = [...FIRST_GUARDS, ...LAST_GUARDS];

const X402 = { pays: 'x402' } as const;
const NO_WAYS = { ways: [] } as const;
const SLEEPS: readonly Way[] = ['sleeps'];
const FAILS_OR_DIES: readonly Way[] = ['before', 'dies'];
const FAILS_OR_SLEEPS: readonly Way[] = ['before', 'sleeps'];
const DIES_OR_SLEEPS: readonly Way[] = ['dies', 'sleeps'];

export const USE_CASES: readonly UseCase[] = [
  ['the api accepts', [], [request]],
  ['the api cancels unclaimed spends', [outcome('either', 'all')], [requestAndCancel]],
  ['the lane sends', [request], [runLane], { ways: SLEEPS }],
  [
    'the lane sends, and the agents cancel',
    [outcome('either', 'all'), request],
    [runLane],
    { ways: SLEEPS, meanwhile: [forgetAnswers, requestAndCancel] },
  ],
  ['the lane sends, and the first send is lost', [swallowFirstSend, request], [runLane], NO_WAYS],
  [
    'the lane sends, and the first attempt never arrives',
    [swallowFirstAttempt, request],
    [runLane],
  ],
  [
    'the lane sends, and a refusal in preflight is soon over',
    [outcome('either', 'first'), barFirst, request],
    [runLane],
    { ways: SLEEPS },
  ],
  ['the lane signs an expired spend again', [...EXPIRE, watch], [runLane]],
  ['the sweep repeats lost nudges', [request, loseNudges, pass(2n, 2)], [sweepQueued]],
  ['the watch confirms landings', LAND, [watch]],
  ['the watch sends the same bytes again', [swallowFirstSend, ...SEND, pass(2n, 4)], [watch]],
  [
    'the watch sends again before a late refusal',
    [outcome('either', 'first'), request, delayRefusal, pass(2n, 4)],
    [watch],
  ],
  ['the watch proves an expiry', EXPIRE, [watch]],
  [
    'the watch proves an expiry too late to sign again',
    [outcome('no', 'first'), ...EXPIRE, pass(200n, 120)],
    [watch],
    NO_WAYS,
  ],
  [
    'two endpoints, and only one saw it land',
    [...LAND, pass(200n, 200)],
    [watch],
    { firstIsBlind: true },
  ],
  ['two endpoints prove an expiry', EXPIRE, [watch], { firstIsBlind: true, ways: FAILS_OR_SLEEPS }],
  ['the watch settles a landing that failed', [skipPreflight, ...LAND], [watch]],
  ['landings become final', [skipPreflight, ...LAND, watch, pass(40n, 3)], [finalize]],
  [
    'the watch sends again what a fork took back',
    [...LAND, watch, forkOut, pass(30n, 12), finalize],
    [watch],
  ],
  [
    'the guard opens a restored database',
    [forgetWhatArrivesLater],
    GUARD_UNTIL_OPEN,
    { ways: DIES_OR_SLEEPS },
  ],
  [
    'the lane meets a forgotten number',
    [swallowLast, ...LAND, forgetClaims, swallowNone],
    [runLane],
  ],
  ['the follower settles landings that were not watched', LAND, FOLLOW_TWICE],

  ['the api accepts withdrawals from yield', [], [request], { pays: 'yield_withdraw' }],
  ['the lane sends deposits to yield', [request], [runLane], { pays: 'yield_deposit' }],
  ['the lane sends withdrawals', [request], [runLane], { pays: 'yield_withdraw' }],
  [
    'the lane signs an expired withdrawal again',
    // It goes alone, so the next one may not be claimed in time.
    [outcome('either', 'last'), ...EXPIRE, watch],
    [runLane],
    { pays: 'yield_withdraw', ways: FAILS_OR_DIES },
  ],
  ['the watch confirms withdrawals', LAND, [watch], { pays: 'yield_withdraw' }],
  [
    'the follower settles deposits that were not watched',
    LAND,
    FOLLOW_TWICE,
    { pays: 'yield_deposit', ways: FAILS_OR_DIES },
  ],

  ['the lane stores what a facilitator sends', [request], [runLane], X402],
  ['the api releases what a facilitator settles', SEND, [deliver], X402],
  [
    'the api releases what is settled without an answer',
    [service('stays silent'), ...SEND],
    [deliver],
    { ...X402, ways: SLEEPS },
  ],
  [
    'the watch confirms what a facilitator settled',
    [...pay('settles'), pass(2n, 2)],
    [watch],
    X402,
  ],
  [
    'the watch finds a landing without a hint',
    [...pay('stays silent'), pass(2n, 2)],
    [watch],
    { ...X402, ways: FAILS_OR_DIES },
  ],
  [
    'a facilitator settles a payment that it refused',
    [...pay('settles later'), pass(140n, 56), settleHeldLater],
    [watch],
    { ...X402, meanwhile: [endAll, ...GO_ON] },
  ],
  [
    'the watch proves that a payment was not settled',
    [outcome('no', 'all'), ...pay('refuses'), pass(200n, 80)],
    [watch],
    X402,
  ],
  [
    'the watch settles a payment that failed',
    [outcome('no', 'first'), ...SEND, barFirst, service('checks nothing'), deliver, pass(2n, 2)],
    [watch],
    { ...X402, ways: FAILS_OR_DIES },
  ],
];
