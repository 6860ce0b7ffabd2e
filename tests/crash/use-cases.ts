import type { Way } from './faulty-io.ts';
import type { Processes } from './processes.ts';
import { forgetClaims, showOtherTimeline } from './forget.ts';
import type { Pays, SmallWorld } from './small-world.ts';

/** One use case, and the way to where it begins. */
export type UseCase = {
  readonly name: string;
  /** Makes the same calls as another one: tried in these ways alone, unless all are. */
  readonly ways?: readonly Way[];
  /** Leads up to it, without a fault. */
  readonly arrange: (world: SmallWorld) => Promise<void>;
  /** The use case itself, by the processes whose calls are counted. */
  readonly act: (world: SmallWorld, processes: Processes) => Promise<void>;
  /** What the agents ask for; transfers if nothing else is said. */
  readonly pays?: Pays;
  /** Attempts are watched on two endpoints, of which the first sees nothing land. */
  readonly firstIsBlind?: boolean;
  /** What others do while it sleeps, when that is not what {@link goOn} says. */
  readonly meanwhile?: (world: SmallWorld, processes: Processes) => Promise<void>;
};

/** Leases run out, what barred a spend is over, and all the others do their work. */
export async function goOn(world: SmallWorld, processes: Processes): Promise<void> {
  world.chain.barredAmount = null;
  await world.pass({ slots: 2n, seconds: 12 });
  await processes.sweepQueued();
  await world.runNudged(processes);
  await processes.sweepDeliveries();
  await processes.watchSignatures();
}

const ask = (world: SmallWorld): Promise<void> => world.ask(world.processes, 0);

async function send(world: SmallWorld): Promise<void> {
  await ask(world);
  await world.processes.runLane(world.sessionId);
}

/** The first bytes of the first spend never arrive, however often they are sent. */
function swallowFirstAttempt({ chain, wishes }: SmallWorld): void {
  chain.isSwallowed = ({ transfer, attempt }) =>
    transfer.amount === wishes[0]?.amount && attempt === 1;
}

function swallowFirstSend({ chain, wishes }: SmallWorld): void {
  chain.isSwallowed = ({ transfer, attempt, ofTheseBytes }) =>
    transfer.amount === wishes[0]?.amount && attempt === 1 && ofTheseBytes === 1;
}

async function sendInVain(world: SmallWorld): Promise<void> {
  swallowFirstAttempt(world);
  await send(world);
  await world.pass({ slots: 2n, seconds: 2 });
  await world.processes.watchSignatures();
  await world.pass({ slots: 200n, seconds: 80 });
}

async function land(world: SmallWorld): Promise<void> {
  await send(world);
  await world.pass({ slots: 2n, seconds: 2 });
}

/**
 * The lane's first send of the first spend is refused, and the answer is still on its way when the
 * refusal's reason is gone.
 */
async function leaveRefusalOnItsWay(world: SmallWorld): Promise<void> {
  const { chain, wishes, sessionId, processes } = world;
  const [first] = wishes;
  if (first === undefined) return;
  first.isPaid = 'either';
  await ask(world);
  const arrived = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  chain.barredAmount = first.amount;
  chain.holdRefusal = () => {
    arrived.resolve();
    return told.promise;
  };
  const run = processes.runLane(sessionId);
  await arrived.promise;
  chain.barredAmount = null;
  chain.holdRefusal = async () => {};
  world.endLater(async () => {
    told.resolve();
    await run;
  });
  await world.pass({ slots: 2n, seconds: 4 });
}

/** Shows what is stored to its service, one payment after the other. */
async function deliver(world: SmallWorld, processes: Processes): Promise<void> {
  for (const { answer } of world.wishes) {
    if (answer !== undefined && answer !== 'fault') await processes.deliver(answer.spendId);
  }
}

/** Pays, and has the service do with the payment what it does. */
async function pay(world: SmallWorld, conduct: SmallWorld['service']['conduct']): Promise<void> {
  world.service.conduct = conduct;
  await send(world);
  await deliver(world, world.processes);
}

function nothingIsPaid({ wishes }: SmallWorld): void {
  for (const wish of wishes) wish.isPaid = 'no';
}

const runLane = ({ sessionId }: SmallWorld, { runLane: run }: Processes): Promise<void> =>
  run(sessionId);

async function watch(_world: SmallWorld, processes: Processes): Promise<void> {
  await processes.watchSignatures();
}

/**
 * The database has forgotten all that was sent. The bytes of the first spend arrive when that has
 * been noticed, the others never.
 */
async function forgetWhatArrivesLater(world: SmallWorld): Promise<void> {
  const { chain, db, wishes } = world;
  const held: Uint8Array[] = [];
  chain.isSwallowed = () => true;
  chain.onWire = (wire, { transfer }) => {
    if (transfer.amount === wishes[0]?.amount) held.push(wire);
  };
  await send(world);
  await forgetClaims(world);
  await showOtherTimeline(db);
  chain.isSwallowed = () => false;
  chain.onWire = () => {};
  world.endLater(async () => {
    for (const wire of held) await chain.rpc.sendRaw(wire, { skipPreflight: true });
  });
}

/** Until the forgotten bytes would be dead by the count of the chain's tip. */
async function guardUntilOpen(world: SmallWorld, { guardRecovery }: Processes): Promise<void> {
  await guardRecovery();
  await world.pass({ slots: 100n, seconds: 5 });
  await guardRecovery();
  await world.endAll();
  await world.pass({ slots: 52n, seconds: 3 });
  await guardRecovery();
  await world.processes.sweepQueued();
  await world.runNudged(world.processes);
  await world.pass({ slots: 40n, seconds: 3 });
  await guardRecovery();
}

export const USE_CASES: readonly UseCase[] = [
  {
    name: 'the api accepts',
    arrange: async () => {},
    act: (world, processes) => world.ask(processes, 0),
  },
  {
    name: 'the api withdraws what nobody claimed',
    arrange: async ({ wishes }) => {
      for (const wish of wishes) wish.isPaid = 'either';
    },
    act: (world, processes) => world.ask(processes, 1),
  },
  { name: 'the lane sends', ways: ['sleeps'], arrange: ask, act: runLane },
  {
    name: 'the lane sends, and the agents withdraw',
    ways: ['sleeps'],
    arrange: async (world) => {
      for (const wish of world.wishes) wish.isPaid = 'either';
      await ask(world);
    },
    act: runLane,
    meanwhile: async (world, processes) => {
      for (const wish of world.wishes) wish.answer = undefined;
      await world.ask(processes, 1);
    },
  },
  {
    name: 'the lane sends, and the first send is lost',
    ways: [],
    arrange: async (world) => {
      swallowFirstSend(world);
      await ask(world);
    },
    act: runLane,
  },
  {
    name: 'the lane sends, and the first attempt never arrives',
    arrange: async (world) => {
      swallowFirstAttempt(world);
      await ask(world);
    },
    act: runLane,
  },
  {
    name: 'the lane sends, and a refusal in preflight is soon over',
    ways: ['sleeps'],
    arrange: async (world) => {
      const [first] = world.wishes;
      if (first === undefined) return;
      first.isPaid = 'either';
      world.chain.barredAmount = first.amount;
      await ask(world);
    },
    act: runLane,
  },
  {
    name: 'the lane signs again what has expired',
    arrange: async (world) => {
      await sendInVain(world);
      await world.processes.watchSignatures();
    },
    act: runLane,
  },
  {
    name: 'the sweeper nudges lanes whose nudge was lost',
    arrange: async (world) => {
      await ask(world);
      world.nudged.clear();
      await world.pass({ slots: 2n, seconds: 2 });
    },
    act: async (_world, processes) => {
      await processes.sweepQueued();
    },
  },
  { name: 'the watch confirms landings', arrange: land, act: watch },
  {
    name: 'the watch sends the same bytes again',
    arrange: async (world) => {
      swallowFirstSend(world);
      await send(world);
      await world.pass({ slots: 2n, seconds: 4 });
    },
    act: watch,
  },
  {
    name: 'the watch resends before a late refusal',
    arrange: leaveRefusalOnItsWay,
    act: watch,
  },
  { name: 'the watch proves an expiry', arrange: sendInVain, act: watch },
  {
    name: 'the watch proves an expiry too late to sign again',
    ways: [],
    arrange: async (world) => {
      const [first] = world.wishes;
      if (first !== undefined) first.isPaid = 'no';
      await sendInVain(world);
      await world.pass({ slots: 200n, seconds: 120 });
    },
    act: watch,
  },
  {
    name: 'two endpoints, and only one saw it land',
    firstIsBlind: true,
    arrange: async (world) => {
      await land(world);
      await world.pass({ slots: 200n, seconds: 200 });
    },
    act: watch,
  },
  {
    name: 'two endpoints prove an expiry',
    firstIsBlind: true,
    ways: ['before', 'sleeps'],
    arrange: sendInVain,
    act: watch,
  },
  {
    name: 'the watch settles a landing that failed',
    arrange: async (world) => {
      world.chain.simulates = false;
      await land(world);
    },
    act: watch,
  },
  {
    name: 'landings become final',
    arrange: async (world) => {
      world.chain.simulates = false;
      await land(world);
      await world.processes.watchSignatures();
      await world.pass({ slots: 40n, seconds: 3 });
    },
    act: async (_world, processes) => {
      await processes.finalizeLandings();
    },
  },
  {
    name: 'the watch sends again what a fork took back',
    arrange: async (world) => {
      await land(world);
      await world.processes.watchSignatures();
      world.chain.forkOut();
      await world.pass({ slots: 30n, seconds: 12 });
      await world.processes.finalizeLandings();
    },
    act: watch,
  },
  {
    name: 'the guard opens a restored database',
    ways: ['dies', 'sleeps'],
    arrange: forgetWhatArrivesLater,
    act: guardUntilOpen,
  },
  {
    name: 'the lane meets a forgotten number',
    arrange: async (world) => {
      const { chain, wishes } = world;
      // The first lands, the last never arrives.
      chain.isSwallowed = ({ transfer }) => transfer.amount === wishes.at(-1)?.amount;
      await land(world);
      await forgetClaims(world);
      chain.isSwallowed = () => false;
    },
    act: runLane,
  },
  {
    name: 'the follower settles landings that nobody watched',
    arrange: land,
    act: async (world, processes) => {
      await processes.followProgram();
      await world.pass({ slots: 1n, seconds: 2 });
      await processes.followProgram();
    },
  },
  {
    name: 'the api accepts withdrawals from yield',
    pays: 'yield_withdraw',
    arrange: async () => {},
    act: (world, processes) => world.ask(processes, 0),
  },
  { name: 'the lane sends deposits to yield', pays: 'yield_deposit', arrange: ask, act: runLane },
  { name: 'the lane sends withdrawals', pays: 'yield_withdraw', arrange: ask, act: runLane },
  {
    name: 'the lane signs a withdrawal again that has expired',
    pays: 'yield_withdraw',
    ways: ['before', 'dies'],
    arrange: async (world) => {
      // It goes alone, so that the next one may not be taken in time.
      const last = world.wishes.at(-1);
      if (last !== undefined) last.isPaid = 'either';
      await sendInVain(world);
      await world.processes.watchSignatures();
    },
    act: runLane,
  },
  { name: 'the watch confirms withdrawals', pays: 'yield_withdraw', arrange: land, act: watch },
  {
    name: 'the follower settles deposits that nobody watched',
    pays: 'yield_deposit',
    ways: ['before', 'dies'],
    arrange: land,
    act: async (world, processes) => {
      await processes.followProgram();
      await world.pass({ slots: 1n, seconds: 2 });
      await processes.followProgram();
    },
  },
  { name: 'the lane stores what a facilitator sends', pays: 'x402', arrange: ask, act: runLane },
  {
    name: 'the api hands out what a facilitator settles',
    pays: 'x402',
    arrange: send,
    act: deliver,
  },
  {
    name: 'the api hands out what is settled without an answer',
    pays: 'x402',
    ways: ['sleeps'],
    arrange: async (world) => {
      world.service.conduct = 'stays silent';
      await send(world);
    },
    act: deliver,
  },
  {
    name: 'the watch confirms what a facilitator settled',
    pays: 'x402',
    arrange: async (world) => {
      await pay(world, 'settles');
      await world.pass({ slots: 2n, seconds: 2 });
    },
    act: watch,
  },
  {
    name: 'the watch finds what nobody named',
    pays: 'x402',
    ways: ['before', 'dies'],
    arrange: async (world) => {
      await pay(world, 'stays silent');
      await world.pass({ slots: 2n, seconds: 2 });
    },
    act: watch,
  },
  {
    name: 'a facilitator settles what it has refused',
    pays: 'x402',
    arrange: async (world) => {
      await pay(world, 'settles later');
      await world.pass({ slots: 140n, seconds: 56 });
      world.endLater(() => world.service.settleHeld());
    },
    act: watch,
    meanwhile: async (world, processes) => {
      await world.endAll();
      await goOn(world, processes);
    },
  },
  {
    name: 'the watch proves that nobody settled',
    pays: 'x402',
    arrange: async (world) => {
      nothingIsPaid(world);
      await pay(world, 'refuses');
      await world.pass({ slots: 200n, seconds: 80 });
    },
    act: watch,
  },
  {
    name: 'the watch settles a payment that failed',
    pays: 'x402',
    ways: ['before', 'dies'],
    arrange: async (world) => {
      const [first] = world.wishes;
      if (first === undefined) return;
      first.isPaid = 'no';
      await send(world);
      world.chain.barredAmount = first.amount;
      world.service.conduct = 'checks nothing';
      await deliver(world, world.processes);
      await world.pass({ slots: 2n, seconds: 2 });
    },
    act: watch,
  },
];
