import { randomBytes } from 'node:crypto';
import { addService } from '@agent-wallet/spend';
import { signIn } from '../../support/http/http-owner.ts';
import { type Call, callOperation, fillIn } from '../http/call-operation.ts';
import { type Operation, readOperations } from '../http/document.ts';
import { createParty, createSibling, newAddress, type Party } from '../http/party.ts';
import { DISABLED_SLUG, PLAIN_INPUTS, type Plan, PLANS } from '../http/plans.ts';
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
import type { PlainAnswer } from '../plain-http.ts';
import type { Cases, Surface } from '../surface.ts';
import type { StartTarget, Target } from '../target.ts';

/** The victim's actions on chain: its vault, its sessions, one revocation. */
const OWNER_EVENTS = 7;
const FAST_SLOTS_MS = 100;
const SUCCESS = [200, 202];

/** A legitimate caller that sends ids of the victim. */
type Attacker = {
  readonly name: string;
  readonly party: Party;
  /** Values of the victim that no answer to it may contain. */
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

/** Whether an operation shows or changes resources of another party. */
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
  for (const operation of operations) await attackOperation(world, operation, judge, cases);
  // Last, because the sibling spends the victim's money: only the victim's session is watched.
  const closer = createJudge(target, await createReadSession(target, victim), cases);
  for (const operation of operations.filter(({ caller }) => caller === 'agent')) {
    await attackAs(world, operation, sibling, closer);
  }
  const known = new Set(operations.map(({ operationId }) => operationId));
  for (const name of Object.keys(PLANS).filter((one) => !known.has(one))) {
    await cases.try(name, () => 'has a plan and is not in the document');
  }
}

const start = (startTarget: StartTarget, secret: string): Promise<Target> =>
  startTarget({
    slotTimeMs: FAST_SLOTS_MS,
    env: { api: { COOKIE_SECRET: secret, RATE_PER_SECOND: '1000', RATE_BURST: '5000' } },
  });

async function populate(target: Target, secret: string): Promise<World> {
  const [victim, attacker] = await Promise.all([createParty(target), createParty(target)]);
  const sibling = await createSibling(target, victim);
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
      party: sibling,
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
type Attempt = () => Promise<Sent>;

/**
 * Makes one attack on an operation: the answer must be as expected, like that to the attempt
 * `like`, and the victim's rows must not change.
 */
type Judge = (
  operation: Operation,
  name: string,
  attempt: Attempt,
  expected: Expected,
  like?: Attempt,
) => Promise<void>;

const createJudge =
  ({ system }: Target, readPossessions: ReadPossessions, cases: Cases): Judge =>
  (operation, name, attempt, expected, like) =>
    cases.try(`${nameOf(operation)}, ${name}`, async () => {
      const before = await readPossessions();
      const sent = await attempt();
      const answer = await callOperation(system, operation, sent.call, sent.credentials);
      const changed = differencesOf(before, await readPossessions());
      if (changed.length > 0) return `changes ${changed.join(', ')} of the victim`;
      const fault = faultOf(answer, sent, expected);
      if (fault !== null || like === undefined) return fault;
      const other = await like();
      const likened = await callOperation(system, operation, other.call, other.credentials);
      const isSame = essenceOf(answer, sent) === essenceOf(likened, other);
      return isSame ? null : `is answered unlike an unknown id: ${answer.text.slice(0, 200)}`;
    });

const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;

function faultOf(answer: PlainAnswer, sent: Sent, { status, error, marks }: Expected) {
  const seen = `${answer.text} ${JSON.stringify(answer.headers)}`;
  const known = JSON.stringify(sent.call);
  const shown = [...marks].find((mark) => !known.includes(mark) && isIn(seen, mark));
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

/** Returns an answer without the values that the caller has sent. */
function essenceOf({ status, text }: PlainAnswer, { call }: Sent): string {
  const values = Object.values({ ...call.path, ...call.query, ...call.headers, ...call.body });
  const own = values.filter((value) => typeof value === 'string' && value.length > 8);
  return own.reduce<string>(
    (rest, value) => rest.replaceAll(String(value), '…'),
    `${status} ${text}`,
  );
}

async function attackOperation(world: World, operation: Operation, judge: Judge, cases: Cases) {
  const plan = PLANS[operation.operationId];
  const find = (sentence: string) => cases.try(nameOf(operation), () => sentence);
  if (plan === undefined) {
    await find('has no plan: say in tests/attack/http/plans.ts how to call it');
    return;
  }
  const isKnown = (input: string): boolean =>
    plan.ids?.[input] !== undefined || PLAIN_INPUTS.has(input.split('.').at(-1) ?? '');
  for (const input of operation.inputs.filter((one) => !isKnown(one))) {
    await find(`takes ${input}: say in tests/attack/http/plans.ts whether it is an id`);
  }
  await attackAsWrongCallers(world, operation, plan, judge);
  await attackAs(world, operation, world.stranger, judge);
}

/** Sends the victim's own call with wrong credentials. */
async function attackAsWrongCallers(
  { target, victim, stranger, wrongCallers }: World,
  operation: Operation,
  plan: Plan,
  judge: Judge,
): Promise<void> {
  const wrong = wrongCallers[operation.isForBoth ? 'both' : operation.caller];
  for (const { name, headers: credentials, error } of wrong) {
    const attempt = async (): Promise<Sent> => ({
      call: await plan.call(victim, target.system),
      credentials,
    });
    await judge(operation, name, attempt, { status: [401], error, marks: stranger.marks });
  }
}

/** Makes the attacker's own calls, then the same with ids of the victim. */
async function attackAs(
  { target, victim, sibling }: World,
  operation: Operation,
  attacker: Attacker,
  judge: Judge,
): Promise<void> {
  const plan = PLANS[operation.operationId];
  if (plan === undefined) return;
  const { name, party, marks } = attacker;
  const attemptWith =
    (
      change: (call: Call) => Call,
      more: Sent['credentials'] = {},
      callOf: Plan['call'] = plan.call,
    ): Attempt =>
    async () => ({
      call: change(await callOf(party, target.system)),
      credentials: { ...more, ...(await credentialsOf(target, operation, attacker)) },
    });
  const own = { status: plan.status ?? SUCCESS, marks };
  await judge(operation, `${name}, its own`, attemptWith(unchanged), own);
  const theirs =
    operation.caller === 'owner'
      ? { authorization: `Bearer ${victim.session.apiKey}` }
      : { cookie: victim.owner.cookie };
  const both = `${name}, with the victim's other credentials`;
  // Where either would do, the victim's are no worse than alone.
  if (!operation.isForBoth) await judge(operation, both, attemptWith(unchanged, theirs), own);
  for (const [input, rule] of Object.entries(plan.ids ?? {})) {
    if (rule.ofWallet === true && attacker === sibling) continue;
    const put = (value: string) =>
      attemptWith((call) => fillIn(call, input, value), {}, rule.call ?? plan.call);
    await judge(
      operation,
      `${name}, the victim's ${input}`,
      put(rule.theirs(victim, operation.operationId)),
      { status: rule.status, error: rule.error, marks },
      rule.sameAnswer ? put(rule.unknown(victim)) : undefined,
    );
  }
}

const unchanged = (call: Call): Call => call;

/** Returns a new cookie for each call of an owner, because some calls end it. */
async function credentialsOf({ system }: Target, { caller }: Operation, { party }: Attacker) {
  if (caller === 'agent') return { authorization: `Bearer ${party.session.apiKey}` };
  if (caller === 'anybody') return {};
  return { cookie: await signIn(system, party.owner.keypair) };
}
