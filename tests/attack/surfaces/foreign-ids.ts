import { randomBytes } from 'node:crypto';
import { addService } from '@agent-wallet/spend';
import { signIn } from '../../support/http/http-owner.ts';
import { type Answer, ask, type Call, fillIn } from '../http/ask.ts';
import { type Operation, readOperations } from '../http/document.ts';
import { createParty, createSibling, newAddress, type Party } from '../http/party.ts';
import { DISABLED_SLUG, type IdRule, PLAIN_INPUTS, type Plan, PLANS } from '../http/plans.ts';
import {
  comeToRest,
  createReadSession,
  createReadWallet,
  differencesOf,
  marksOf,
  marksOfSession,
  type ReadPossessions,
} from '../http/possessions.ts';
import { createWrongCallers, type WrongCallers } from '../http/wrong-callers.ts';
import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { attackParts } from '../parts.ts';
import type { Cases, Surface } from '../surface.ts';
import type { StartTarget, Target } from '../target.ts';

/** What the victim does on chain: its vault, seven sessions of two agents, one revocation. */
const OWNER_EVENTS = 7;
const FAST_SLOTS_MS = 100;
const SUCCESS = [200, 202];

/** Somebody who may call, and puts in what is not its own. */
type Attacker = {
  readonly name: string;
  readonly party: Party;
  /** What of the victim must not be in an answer to it. */
  readonly marks: ReadonlySet<string>;
};

type World = {
  readonly target: Target;
  readonly victim: Party;
  readonly stranger: Attacker;
  readonly sibling: Attacker;
  readonly wrongCallers: WrongCallers;
};

const mutants = mutantsNoticedBy('surface foreign ids');

/** Whose things an operation of the OpenAPI document hands out, or changes, for whom. */
export const foreignIds: Surface = {
  name: 'foreign ids',
  leastCases: 400,
  mutants,
  mutantsAtOnce: 2,
  attack: async (context) => {
    const secret = randomBytes(32).toString('base64');
    await using target = await start(context.startTarget, secret);
    const world = await populate(target, secret);
    return await attackParts(context, [{ shows: mutants, attack: attackDocument }], world);
  },
};

async function attackDocument(cases: Cases, world: World): Promise<void> {
  const { target, victim, sibling } = world;
  const operations = await readOperations(target.system);
  const judge = createJudge(target, await createReadWallet(target, victim), cases);
  for (const operation of operations) await attackOperation(world, operation, judge);
  // Last, because what it spends is its owner's money as well: only the other session is watched.
  const closer = createJudge(target, await createReadSession(target, victim), cases);
  for (const operation of operations.filter(({ caller }) => caller === 'agent')) {
    await attackAs(world, operation, sibling, closer);
  }
  const known = new Set(operations.map(({ operationId }) => operationId));
  for (const name of Object.keys(PLANS).filter((one) => !known.has(one))) {
    await cases.try(name, () => 'is planned and not in the document');
  }
}

const start = (startTarget: StartTarget, secret: string): Promise<Target> =>
  startTarget({
    slotTimeMs: FAST_SLOTS_MS,
    env: { api: { COOKIE_SECRET: secret, RATE_PER_SECOND: '1000', RATE_BURST: '5000' } },
  });

async function populate(target: Target, secret: string): Promise<World> {
  const [victim, attacker] = await Promise.all([createParty(target), createParty(target)]);
  const brother = await createSibling(target, victim);
  await addService(target.fixture.db, {
    slug: DISABLED_SLUG,
    name: DISABLED_SLUG,
    baseUrl: 'https://example.com/',
    enabled: false,
    payTo: newAddress(),
    maxPrice: 1_000n,
    method: null,
    proof: 'x402',
  });
  const wrongCallers = await createWrongCallers(target, victim, attacker, secret);
  await comeToRest(target, victim, OWNER_EVENTS);
  const marks = await marksOf(target, victim, [attacker]);
  return {
    target,
    victim,
    wrongCallers,
    stranger: { name: 'another owner', party: attacker, marks },
    sibling: {
      name: 'another agent of the wallet',
      party: brother,
      marks: marksOfSession(victim),
    },
  };
}

type Expected = {
  readonly status: readonly number[];
  readonly error?: string | undefined;
  readonly marks: ReadonlySet<string>;
};
type Sent = { readonly call: Call; readonly credentials: Readonly<Record<string, string>> };

type Judge = {
  /** One attack that is answered, held against what is expected, and must have changed nothing. */
  readonly attack: (
    name: string,
    operation: Operation,
    attempt: () => Promise<Sent>,
    expected: Expected,
    like?: () => Promise<Sent>,
  ) => Promise<void>;
  readonly find: (operation: Operation, sentence: string) => Promise<void>;
};

function createJudge({ system }: Target, readPossessions: ReadPossessions, cases: Cases): Judge {
  return {
    attack: (name, operation, attempt, expected, like) =>
      cases.try(`${operation.method} ${operation.path}, ${name}`, async () => {
        const before = await readPossessions();
        const sent = await attempt();
        const answer = await ask(system, operation, sent.call, sent.credentials);
        const changed = differencesOf(before, await readPossessions());
        if (changed.length > 0) return `changes ${changed.join(', ')} of the victim`;
        const fault = faultOf(answer, sent, expected);
        if (fault !== null || like === undefined) return fault;
        const other = await like();
        const likened = await ask(system, operation, other.call, other.credentials);
        const isSame = essenceOf(answer, sent) === essenceOf(likened, other);
        return isSame ? null : `is answered unlike an id of nobody: ${answer.text.slice(0, 200)}`;
      }),
    find: (operation, sentence) =>
      cases.try(`${operation.method} ${operation.path}`, () => sentence),
  };
}

function faultOf(answer: Answer, sent: Sent, { status, error, marks }: Expected): string | null {
  const said = `${answer.text} ${JSON.stringify([...answer.headers])}`;
  const asked = JSON.stringify(sent.call);
  const shown = [...marks].find((mark) => !asked.includes(mark) && isIn(said, mark));
  if (shown !== undefined) return `shows ${shown} of the victim, status ${answer.status}`;
  const excerpt = answer.text.slice(0, 200);
  if (!status.includes(answer.status)) return `is answered ${answer.status} ${excerpt}`;
  if (error !== undefined && !answer.text.includes(JSON.stringify(error))) {
    return `is not answered ${error} but ${excerpt}`;
  }
  return null;
}

const isIn = (text: string, mark: string): boolean =>
  /^\d+$/.test(mark) ? new RegExp(`\\b${mark}\\b`).test(text) : text.includes(mark);

/** An answer without what the caller has put in. */
function essenceOf({ status, text }: Answer, { call }: Sent): string {
  const values = Object.values({ ...call.path, ...call.query, ...call.headers, ...call.body });
  const own = values.filter((value) => typeof value === 'string' && value.length > 8);
  return own.reduce<string>(
    (rest, value) => rest.replaceAll(String(value), '…'),
    `${status} ${text}`,
  );
}

async function attackOperation(world: World, operation: Operation, judge: Judge): Promise<void> {
  const plan = PLANS[operation.operationId];
  if (plan === undefined) {
    await judge.find(
      operation,
      'is not in tests/attack/http/plans.ts: nobody has said how to call it',
    );
    return;
  }
  const isKnown = (input: string): boolean =>
    plan.ids?.[input] !== undefined || PLAIN_INPUTS.has(input.split('.').at(-1) ?? '');
  for (const input of operation.inputs.filter((one) => !isKnown(one))) {
    await judge.find(operation, `takes ${input}: nobody has said whether that is somebody's id`);
  }
  await attackAsNobody(world, operation, plan, judge);
  await attackAs(world, operation, world.stranger, judge);
}

async function attackAs(
  world: World,
  operation: Operation,
  attacker: Attacker,
  judge: Judge,
): Promise<void> {
  const plan = PLANS[operation.operationId];
  if (plan === undefined) return;
  await attackWithOwn(world, operation, plan, attacker, judge);
  for (const [input, rule] of Object.entries(plan.ids ?? {})) {
    if (rule.ofWallet === true && attacker === world.sibling) continue;
    await attackWithForeign(world, operation, plan, attacker, [input, rule], judge);
  }
}

/** The victim's own call, by somebody who is not the victim. */
async function attackAsNobody(world: World, operation: Operation, plan: Plan, judge: Judge) {
  const { target, victim, stranger, wrongCallers } = world;
  for (const { name, headers, error } of wrongCallers[operation.caller]) {
    const attempt = async (): Promise<Sent> => ({
      call: await plan.call(victim, target.system),
      credentials: headers,
    });
    const expected = { status: [401], error, marks: stranger.marks };
    await judge.attack(name, operation, attempt, expected);
  }
}

/** What one may: it works, also with the victim's credentials of the other kind beside one's own. */
async function attackWithOwn(
  world: World,
  operation: Operation,
  plan: Plan,
  attacker: Attacker,
  judge: Judge,
): Promise<void> {
  const { target, victim } = world;
  const attemptWith = (more: Readonly<Record<string, string>>) => async (): Promise<Sent> => ({
    call: await plan.call(attacker.party, target.system),
    credentials: { ...more, ...(await credentialsOf(target, operation, attacker)) },
  });
  const expected = { status: plan.status ?? SUCCESS, marks: attacker.marks };
  await judge.attack(`${attacker.name}, its own`, operation, attemptWith({}), expected);
  const theirs =
    operation.caller === 'owner'
      ? { authorization: `Bearer ${victim.session.apiKey}` }
      : { cookie: victim.owner.cookie };
  const both = `${attacker.name}, with the victim's other credentials`;
  await judge.attack(both, operation, attemptWith(theirs), expected);
}

/** The victim's id in one's own call. */
async function attackWithForeign(
  world: World,
  operation: Operation,
  plan: Plan,
  attacker: Attacker,
  [input, rule]: readonly [string, IdRule],
  judge: Judge,
): Promise<void> {
  const { target, victim } = world;
  const attemptWith = (value: string) => async (): Promise<Sent> => {
    const call = await (rule.call ?? plan.call)(attacker.party, target.system);
    return {
      call: fillIn(call, input, value),
      credentials: await credentialsOf(target, operation, attacker),
    };
  };
  const expected = { status: rule.status, error: rule.error, marks: attacker.marks };
  const name = `${attacker.name}, the victim's ${input}`;
  const attempt = attemptWith(rule.theirs(victim, operation.operationId));
  const like = rule.sameAnswer ? attemptWith(rule.nobodys(victim)) : undefined;
  await judge.attack(name, operation, attempt, expected, like);
}

/** A cookie of its own for each call: some calls end it. */
async function credentialsOf({ system }: Target, { caller }: Operation, { party }: Attacker) {
  if (caller === 'agent') return { authorization: `Bearer ${party.session.apiKey}` };
  if (caller === 'anybody') return {};
  return { cookie: await signIn(system, party.owner.keypair) };
}
