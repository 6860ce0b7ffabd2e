import { inShort, inUsdc, USDC } from '../amounts.ts';
import { type Cast, type Grantee, readHoldings } from '../cast/cast.ts';
import { openSession } from './sessions.ts';
import { expectRefusal, statusOf } from './spending.ts';
import type { Stage } from '../stage.ts';

/** Half of the vault may be deployed; basis points. */
const FRACTION_BP = 5_000;
const DEPOSIT = 40n * USDC;
/** What borrowers leave in the reserve. */
const LEFT_AVAILABLE = 10n * USDC;
/** The interest that they owe, in basis points. */
const INTEREST_BP = 500;
/** Bits 1 and 2: deposits and withdrawals, no transfers. */
const YIELD_ONLY = 6;
/** init_yield, set_max_deployed_fraction, add_session. */
const OWNER_EVENTS = 3;

/** What the chapter left behind; `earned` in base units. */
export type Savings = { readonly earned: bigint; readonly ownerEvents: number };

/**
 * An agent deploys money to the yield reserve, meets its limits, and withdraws it with interest.
 * Does nothing where `watcher` sees that yield is switched off.
 */
export async function putToWork(stage: Stage, cast: Cast, watcher: Grantee): Promise<Savings> {
  const { reporter } = stage;
  const { accrued } = await watcher.agent.wallet.position();
  if (accrued === null) {
    reporter.note('\nYield is switched off on this chain: the chapter is skipped.');
    return { earned: 0n, ownerEvents: 0 };
  }
  reporter.chapter('An agent puts money to work');
  const before = (await readHoldings(stage, cast)).vault;
  const saver = await allow(stage, cast);
  await deposit(stage, cast, saver);
  await depositTooMuch(stage, saver);
  await meetPartialLiquidity(stage, saver);
  await withdrawAll(stage, cast, saver, before);
  const earned = (await readHoldings(stage, cast)).vault - before;
  return { earned, ownerEvents: OWNER_EVENTS };
}

async function allow(stage: Stage, cast: Cast): Promise<Grantee> {
  return stage.reporter.step('the owner lets half of the vault be deployed', async (step) => {
    step.request(
      `POST /v1/wallet/max-deployed-fraction { max_deployed_fraction_bp: ${FRACTION_BP} }`,
    );
    const transaction = await cast.owner.setMaxDeployedFraction(FRACTION_BP);
    const signature = await stage.chain.send(await transaction.sign());
    step.chain(`the owner signed and sent it: confirmed ${inShort(signature)}`);
    const { max_deployed_fraction_bp: allowed } = await cast.owner.wallet();
    step.expect('max_deployed_fraction_bp', FRACTION_BP, allowed);
    const grant = { maxPerTx: 1n, dailyCap: 1n, recipients: [], instructions: YIELD_ONLY };
    const saver = await openSession(stage, cast, grant);
    step.reply('a session that may deposit and withdraw, but not pay');
    return saver;
  });
}

async function deposit(stage: Stage, cast: Cast, saver: Grantee): Promise<void> {
  await stage.reporter.step('a deposit', async (step) => {
    const before = (await readHoldings(stage, cast)).vault;
    step.request(`POST /v1/yield/deposit ${inUsdc(DEPOSIT)}`);
    const told = await moveIn(saver, DEPOSIT);
    step.expect('status', 200, statusOf(told));
    if (told.kind !== 'confirmed') return;
    const { deployed } = told.reply;
    step.reply(`200 ${told.kind}, deployed ${inUsdc(deployed ?? -1n)}`);
    // The reserve takes the price of its collateral: at most one base unit less.
    const taken = before - (await readHoldings(stage, cast)).vault;
    step.expect('what left the vault, to a base unit', true, DEPOSIT - taken <= 1n);
    step.expect('deployed is what left the vault', taken, deployed);
    step.chain(`${inUsdc(taken)} went to the reserve`);
  });
}

async function depositTooMuch(stage: Stage, saver: Grantee): Promise<void> {
  await stage.reporter.step('a deposit above the allowed fraction', async (step) => {
    const { liquid } = await positionOf(saver);
    step.request(`POST /v1/yield/deposit ${inUsdc(liquid)}, all that is liquid`);
    const told = await moveIn(saver, liquid);
    expectRefusal(step, told, { status: 402, error: 'on-chain submission failed' });
    if (told.kind === 'refused') step.expect('code', 'DeployedFractionExceeded', told.refusal.code);
  });
}

async function meetPartialLiquidity(stage: Stage, saver: Grantee): Promise<void> {
  await stage.reporter.step(
    'borrowers take most of the reserve, and owe interest',
    async (step) => {
      const available = await stage.chain.reserveAvailable();
      await stage.moveReserve({ lend_out: (available - LEFT_AVAILABLE).toString() });
      await stage.moveReserve({ accrue: INTEREST_BP });
      const { deployed, accrued } = await positionOf(saver);
      step.chain(`${inUsdc(available - LEFT_AVAILABLE)} lent out, ${inUsdc(accrued)} earned on it`);
      step.expect('accrued is above 0', true, accrued > 0n);
      step.request(`POST /v1/yield/withdraw ${inUsdc(deployed)}`);
      const told = await moveOut(saver, deployed);
      expectRefusal(step, told, { status: 409, error: 'PARTIAL_LIQUIDITY' });
      if (told.kind === 'refused') {
        step.expect('available', LEFT_AVAILABLE, told.refusal.details.available);
      }
      step.chain('nothing moved');
    },
  );
}

async function withdrawAll(
  stage: Stage,
  cast: Cast,
  saver: Grantee,
  before: bigint,
): Promise<void> {
  await stage.reporter.step(
    'borrowers repay, and the agent withdraws the whole deposit',
    async (step) => {
      await stage.moveReserve({ repay: true });
      const { deployed, accrued } = await positionOf(saver);
      step.request(`POST /v1/yield/withdraw ${inUsdc(deployed)}, all that is deployed`);
      const told = await moveOut(saver, deployed);
      step.expect('status', 200, statusOf(told));
      if (told.kind === 'confirmed') step.reply(`200 ${inShort(told.reply.tx_signature)}`);
      step.expect('deployed', 0n, (await positionOf(saver)).deployed);
      const earned = (await readHoldings(stage, cast)).vault - before;
      step.expect('what the vault has gained', accrued, earned);
      step.chain(`the vault has gained ${inUsdc(earned)}`);
    },
  );
}

const moveIn = ({ agent }: Grantee, amount: bigint) =>
  agent.tell({ recipient: null, amount }, agent.wallet.deposit({ amount }));

const moveOut = ({ agent }: Grantee, amount: bigint) =>
  agent.tell({ recipient: null, amount }, agent.wallet.withdraw({ amount }));

async function positionOf({ agent }: Grantee) {
  const { liquid, deployed, accrued } = await agent.wallet.position();
  return { liquid: liquid ?? -1n, deployed, accrued: accrued ?? -1n };
}
