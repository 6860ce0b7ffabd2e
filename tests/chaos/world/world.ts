import type { Database } from '@agent-wallet/db';
import { appProcesses, type Role } from '@agent-wallet/local-system/system/app-processes.ts';
import { startSystem, type System } from '@agent-wallet/local-system/system/start-system.ts';
import { type Fate, type RpcCall, startFaultProxy } from '../../support/rpc-proxy/fault-proxy.ts';
import { createStoryBook, type StoryBook } from '../../support/rpc-proxy/forks.ts';
import { createFaultPlan, type FaultPlan } from '../../support/rpc-proxy/plan.ts';
import type { Profile } from '../../support/rpc-proxy/profiles.ts';
import { readSend, type SeenSend } from '../../support/rpc-proxy/sends.ts';
import type { Api } from '../../support/http/http-owner.ts';
import { createLaneFixture, type LaneFixture } from '../../support/system/lane-fixture.ts';
import { withApis } from '../../support/system/with-apis.ts';
import { createForgotten, type Forgotten } from '../check/forgotten.ts';
import { startGatedDatabase, type GatedDatabase } from './database.ts';
import { openLinks, type ProcessLinks } from './links.ts';
import { keepHistory } from '../check/history.ts';
import { createSendWatcher, type SendWatcher } from '../check/watch-sends.ts';

/** Bytes then expire after 7.5 s, and an expiry can be proven. */
const SLOT_TIME_MS = 50;

/** Number of processes of each kind; 1 each when absent. */
export type Copies = { readonly api?: number; readonly tx: number; readonly confirm: number };

export type WorldOptions = {
  readonly seed: string;
  readonly profile: Profile;
  /** Of a second endpoint of every process. */
  readonly secondProfile?: Profile | undefined;
  readonly copies?: Copies | undefined;
  readonly laneDepth: number;
  readonly slotTimeMs?: number | undefined;
  readonly redisUrl?: string | undefined;
  readonly feePayerKeys?: readonly string[] | undefined;
  /** Names of the processes whose connections can have a silence. */
  readonly linked?: readonly string[] | undefined;
  /** Modules that a process loads first. */
  readonly preloads?: ((processName: string, role: Role) => readonly URL[]) | undefined;
  readonly env?: ((processName: string) => Readonly<Record<string, string>>) | undefined;
};

/** A whole system on its own chain, with proxies between its parts. */
export type World = AsyncDisposable & {
  readonly seed: string;
  readonly system: System;
  readonly fixture: LaneFixture;
  readonly db: Database;
  readonly database: GatedDatabase;
  /** Undefined when the queue is in Postgres. */
  readonly redisUrl: string | undefined;
  /** Aborted when the world is disposed. */
  readonly closing: AbortSignal;
  readonly sends: SendWatcher;
  /** The content that restores have undone. */
  readonly forgotten: Forgotten;
  /** The chain lies while this is true. */
  setLying(lying: boolean): void;
  /** Keeps the sends for which this returns true from the chain. */
  swallow(isSwallowed: (send: SeenSend) => boolean): void;
  /** Counts a fault of the row's disturbance, by kind when the row needs several. */
  readonly countFault: (kind?: string) => void;
  /** Returns whether a fault of that kind was counted. */
  readonly wasMade: (kind: string) => boolean;
  /** Number of faults that the disturbance made. */
  readonly made: () => number;
  /** Number of those and of the chain's lies. */
  readonly faults: () => number;
  readonly processNames: readonly string[];
  /** All copies of the API. */
  readonly apis: readonly Api[];
  /** Processes that ended unexpectedly. */
  readonly deaths: readonly string[];
  /** The links of the processes that have some. */
  readonly links: ReadonlyMap<string, ProcessLinks>;
  /** Records a violation that the row's disturbance has seen. */
  readonly report: (sentence: string) => void;
  readonly reported: readonly string[];
};

export async function startWorld(options: WorldOptions): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const { seed, profile } = options;
  const database = stack.use(await startGatedDatabase());
  const plans: FaultPlan[] = [];
  const processNames: string[] = [];
  const apiNames: string[] = [];
  const deaths: string[] = [];
  const reported: string[] = [];
  const links = new Map<string, ProcessLinks>();
  for (const name of options.linked ?? []) links.set(name, stack.use(await openLinks()));
  let isLying = false;
  let made = 0;
  const kinds = new Set<string>();
  let isSwallowed: ((send: SeenSend) => boolean) | undefined;
  let book: StoryBook | undefined;
  let sends: SendWatcher | undefined;
  const isOn = (): boolean => isLying;

  async function decide(plan: FaultPlan, call: RpcCall): Promise<Fate> {
    const send = readSend(call);
    if (send !== null) {
      await sends?.look(send);
      if (isSwallowed?.(send) === true) return { kind: 'answer', result: send.signature };
    }
    const story = await book?.fateOf(call);
    return story ?? plan.decide(call);
  }

  const system = stack.use(
    await startSystem({
      slotTimeMs: options.slotTimeMs ?? SLOT_TIME_MS,
      databaseUrl: database.gatedUrl,
      ...(options.redisUrl === undefined ? {} : { redisUrl: options.redisUrl }),
      ...(options.feePayerKeys === undefined ? {} : { feePayerKeys: options.feePayerKeys }),
      workers: { tx: options.copies?.tx ?? 1, confirm: options.copies?.confirm ?? 1 },
      onDeath: (name, sentence) => deaths.push(`${name}: ${sentence}`),
      processes: (surroundings) =>
        withApis(appProcesses(surroundings), options.copies?.api ?? 1).map((spec) => {
          processNames.push(spec.name);
          if (spec.role === 'api') apiNames.push(spec.name);
          book ??= createStoryBook({
            seed,
            chainRpcUrl: surroundings.rpcUrl,
            programId: surroundings.programId,
            rates: profile.stories ?? {},
            isOn,
          });
          const imports = (options.preloads?.(spec.name, spec.role) ?? [])
            .map(({ href }) => `--import=${href}`)
            .join(' ');
          return {
            ...spec,
            env: {
              ...spec.env,
              ...linkedEnv(spec.env, links.get(spec.name)),
              PGAPPNAME: spec.name,
              ...(spec.role === 'tx-worker' ? { LANE_DEPTH: String(options.laneDepth) } : {}),
              ...(imports === '' ? {} : { NODE_OPTIONS: imports }),
              ...options.env?.(spec.name),
            },
          };
        }),
      rpcUrlFor: async (name, chainRpcUrl) => {
        const urls: string[] = [];
        for (const [place, lies] of [profile, options.secondProfile].entries()) {
          if (lies === undefined) continue;
          const plan = createFaultPlan({ seed: `${seed} ${name} ${place}`, profile: lies, isOn });
          plans.push(plan);
          const proxy = await startFaultProxy(chainRpcUrl, (call) => decide(plan, call));
          stack.use(proxy);
          urls.push(links.get(name)?.rpcUrl(proxy.url) ?? proxy.url);
        }
        return urls.join(',');
      },
    }),
  );
  stack.defer(() => book?.stop());
  const fixture = stack.use(
    await createLaneFixture({ ...system, databaseUrl: database.directUrl }),
  );
  await keepHistory(database.directUrl);
  const forgotten = createForgotten();
  sends = createSendWatcher({ db: fixture.db, rpc: fixture.rpc, forgotten });
  const closing = new AbortController();
  stack.defer(() => closing.abort());
  const all = stack.move();
  return {
    seed,
    system,
    fixture,
    db: fixture.db,
    database,
    redisUrl: options.redisUrl,
    closing: closing.signal,
    sends,
    forgotten,
    setLying: (lying) => {
      isLying = lying;
    },
    swallow: (swallowed) => {
      isSwallowed = swallowed;
    },
    countFault: (kind) => {
      made += 1;
      if (kind !== undefined) kinds.add(kind);
    },
    wasMade: (kind) => kinds.has(kind),
    made: () => made,
    faults: () => plans.reduce((sum, plan) => sum + plan.faults(), made + (book?.told() ?? 0)),
    processNames,
    apis: apiNames.map((name) => ({ urls: { api: system.urls.processes[name] ?? '' } })),
    deaths,
    links,
    report: (sentence) => reported.push(sentence),
    reported,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The stores' URLs through the links of a process. */
function linkedEnv(
  { DATABASE_URL: database, REDIS_URL: redis }: Readonly<Record<string, string>>,
  links: ProcessLinks | undefined,
): Readonly<Record<string, string>> {
  if (links === undefined) return {};
  return {
    ...(database === undefined ? {} : { DATABASE_URL: links.databaseUrl(database) }),
    ...(redis === undefined ? {} : { REDIS_URL: links.redisUrl(redis) }),
  };
}
