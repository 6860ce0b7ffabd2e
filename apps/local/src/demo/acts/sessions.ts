import { inUsdc, USDC } from '../amounts.ts';
import type { Cast, Grantee } from '../cast/cast.ts';
import { poll } from '../poll.ts';
import type { Step } from '../reporter.ts';
import type { Stage } from '../stage.ts';

export const SHOPPER_MAX_PER_TX = 10n * USDC;
export const SHOPPER_DAILY_CAP = 25n * USDC;
/** The daily cap of each agent of the crowd except the last. */
const CROWD_DAILY_CAP = 100n * USDC;
const CROWD_MAX_PER_TX = USDC;
export const CROWD_SIZE = 5;
/** The last agent's cap allows seven of its ten transfers. */
export const TIGHT_DAILY_CAP = (7n * USDC) / 10n;

const LIVE_TIMEOUT_MS = 30_000;
const SESSION_SECONDS = 24 * 60 * 60;
/** bit 0: direct transfers. */
const TRANSFERS_ONLY = 1;

/** The limits that the owner grants an agent. Amounts in base units. */
type Grant = {
  readonly maxPerTx: bigint;
  readonly dailyCap: bigint;
  readonly recipients: readonly string[];
  /** Bits of allowed_instructions; direct transfers when left out. */
  readonly instructions?: number;
};

export type Agents = {
  /** The agent whose limits are tested one by one. */
  readonly shopper: Grantee;
  /** The agents that spend at the same time; the last has a tight daily cap. */
  readonly crowd: readonly Grantee[];
};

/** The owner grants limits to agents: one session each, signed by the owner. */
export async function openSessions(stage: Stage, cast: Cast): Promise<Agents> {
  const { reporter } = stage;
  const { bakery, printer, unbanked } = cast;
  const shopper = await reporter.step('a session for one agent', async (step) => {
    const grant = {
      maxPerTx: SHOPPER_MAX_PER_TX,
      dailyCap: SHOPPER_DAILY_CAP,
      recipients: [bakery, printer, unbanked],
    };
    step.request(
      `POST /v1/session: ${inUsdc(grant.maxPerTx)} per transfer, ${inUsdc(grant.dailyCap)} a day, ` +
        'to the bakery, the printer and the unbanked payee',
    );
    const grantee = await openSession(stage, cast, grant);
    step.reply(
      `200, session ${grantee.session.session_id} and a key shown once (${prefixOf(grantee)})`,
    );
    await expectLive(stage, cast, grantee, step);
    const liquid = await grantee.agent.liquid();
    step.expect('liquid that the agent sees at GET /v1/yield/position', cast.funded, liquid);
    return grantee;
  });
  const crowd = await reporter.step(`${CROWD_SIZE} more sessions`, async (step) => {
    // The session that the demo leaves can also pay the services.
    const recipients = [bakery, printer, ...stage.paidServices.map(({ payTo }) => payTo)];
    const grants = Array.from({ length: CROWD_SIZE }, (_, i) => ({
      maxPerTx: CROWD_MAX_PER_TX,
      dailyCap: i === CROWD_SIZE - 1 ? TIGHT_DAILY_CAP : CROWD_DAILY_CAP,
      recipients,
    }));
    step.request(
      `POST /v1/session, one after the other: ${inUsdc(CROWD_DAILY_CAP)} a day, ` +
        `for the last one ${inUsdc(TIGHT_DAILY_CAP)}`,
    );
    const grantees: Grantee[] = [];
    // Each transaction names the index of its session in the vault, which the one before moves on.
    for (const grant of grants) grantees.push(await openSession(stage, cast, grant));
    step.reply(`200 for each of the ${grantees.length}`);
    for (const grantee of grantees) await expectLive(stage, cast, grantee, step);
    return grantees;
  });
  return { shopper, crowd };
}

/** Creates a session and signs it as the owner; it is on chain when this returns. */
export async function openSession(stage: Stage, cast: Cast, grant: Grant): Promise<Grantee> {
  const { maxPerTx, dailyCap, recipients, instructions = TRANSFERS_ONLY } = grant;
  const session = await cast.owner.createSession({
    wallet_id: cast.walletId,
    max_per_tx: maxPerTx,
    daily_cap: dailyCap,
    expiry: Math.floor(Date.now() / 1000) + SESSION_SECONDS,
    allowed_recipients: recipients,
    allowed_instructions: instructions,
  });
  const { api_key: apiKey, transaction } = session;
  // Both are null only for a repetition under an Idempotency-Key.
  if (apiKey === null || transaction === null) throw new Error('the session is not a new one');
  await stage.chain.send(await transaction.sign());
  return { session, apiKey, agent: stage.agentWith(apiKey) };
}

async function expectLive(
  { chain, ended }: Stage,
  { owner }: Cast,
  { session: { session_id: sessionId, session_pda: sessionPda } }: Grantee,
  step: Step,
): Promise<void> {
  step.expect('the session account is on chain', true, await chain.exists(sessionPda));
  const { status } = await poll(
    `session ${sessionId} no longer waiting for its owner`,
    async () => {
      const session = await owner.session(sessionId);
      return session.status === 'awaiting_owner_signature' ? null : session;
    },
    { timeoutMs: LIVE_TIMEOUT_MS, ended },
  );
  step.chain(`session account ${sessionPda} is ${status}`);
  step.expect('status of the session', 'live', status);
}

const prefixOf = ({ apiKey }: Grantee): string => `${apiKey.slice(0, 12)}…`;
