import { encodeAccountData } from './world/account.ts';
import { changed } from './world/change.ts';
import type { Chain, Raw } from './chain/chain.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import { judge } from './model/judge.ts';
import { type Model, OUTSIDE } from './model/scene.ts';
import type { Step } from './step.ts';
import type { Id, Universe } from './world/universe.ts';
import { flagsOf } from './chain/wire.ts';
import { createModel, type WorldSettings } from './world/world.ts';

/** A world in which steps run on the chain and in the model side by side. */
export type Run = {
  readonly model: () => Model;
  /** Takes a step; returns its outcome and findings. */
  readonly take: (step: Step) => Taken;
  /** Compares every account with the model. */
  readonly checkAll: () => readonly string[];
};

export type Taken = {
  /** Of a transaction: `accepted` or the error. */
  readonly outcome: string | null;
  readonly findings: readonly string[];
};

const FEE_LAMPORTS = 5_000n;
const NOTHING: Taken = { outcome: null, findings: [] };

/** Replaces the content of the chain by a new world of these settings. */
export function startRun(chain: Chain, universe: Universe, settings: WorldSettings): Run {
  let model = createModel(settings, universe);
  const ledger = createLedger(universe, settings);
  for (const id of universe.addresses.keys()) {
    const account = model.accounts.get(id);
    if (account?.owner !== OUTSIDE) chain.write(id, account);
  }
  chain.setClock(model.slot, model.now);
  /** Accounts as last read; only transactions and changes alter them. */
  const seen = new Map<Id, Raw | null>();
  const ids = [...universe.addresses.keys()];
  return {
    model: () => model,
    checkAll: () => {
      const known = ids.filter((id) => model.accounts.get(id)?.owner !== OUTSIDE);
      return differencesIn(new Map(known.map((id) => [id, chain.read(id)])), model, universe);
    },
    take: (step) => {
      if (step.do === 'send') {
        const taken = send(step.calls, { model, seen, ledger, chain, universe });
        model = taken.model;
        return taken;
      }
      if (step.do === 'clock') {
        model.slot += 1n;
        model.now = step.to;
        chain.setClock(model.slot, model.now);
        return NOTHING;
      }
      const change = changed(model, step.id, step.change, universe);
      if (change === undefined) return NOTHING;
      if (change.account === undefined) model.accounts.delete(step.id);
      else model.accounts.set(step.id, change.account);
      chain.write(step.id, change.account);
      seen.delete(step.id);
      return NOTHING;
    },
  };
}

type Surroundings = {
  readonly model: Model;
  readonly seen: Map<Id, Raw | null>;
  readonly ledger: Ledger;
  readonly chain: Chain;
  readonly universe: Universe;
};

function send(
  calls: Extract<Step, { do: 'send' }>['calls'],
  { model, seen, ledger, chain, universe }: Surroundings,
): Taken & { readonly model: Model } {
  const involved = new Set(calls.flatMap(({ metas }) => metas.map(({ id }) => id)));
  involved.add(universe.payer);
  const ids = [...involved].filter((id) => model.accounts.get(id)?.owner !== OUTSIDE);
  const flags = flagsOf(calls, universe);
  const before = new Map(ids.map((id) => [id, seen.get(id) ?? chain.read(id)]));
  const { error } = chain.send(calls);
  const after = new Map(ids.map((id) => [id, chain.read(id)]));
  for (const [id, raw] of after) seen.set(id, raw);
  const now = model.now;
  const { refusal, model: next } = judge(model, calls, universe);
  const payer = next.accounts.get(universe.payer);
  if (payer !== undefined) payer.lamports -= FEE_LAMPORTS * BigInt(flags.signatures);

  const findings: string[] = [];
  const expected = refusal === null ? 'accepted' : [...refusal].join(' or ');
  const isExpected = error === null ? refusal === null : refusal?.has(error) === true;
  if (!isExpected) findings.push(`${error ?? 'accepted'}, expected was ${expected}`);
  if (error === null) findings.push(...ledger.enter({ calls, flags, now, before, after }));
  if (isExpected) findings.push(...differencesIn(after, next, universe));
  return { outcome: error ?? 'accepted', findings, model: next };
}

/** Accounts that differ from the model in any byte. */
function differencesIn(
  shown: Iterable<readonly [Id, Raw | null]>,
  model: Model,
  universe: Universe,
): readonly string[] {
  const wrong: string[] = [];
  for (const [id, raw] of shown) {
    const account = model.accounts.get(id);
    const name = universe.names[id] ?? String(id);
    if (account === undefined || raw === null) {
      if (account !== undefined) wrong.push(`${name} is gone`);
      if (raw !== null) wrong.push(`${name} is there`);
      continue;
    }
    if (raw.lamports !== account.lamports) {
      wrong.push(`${name} has ${raw.lamports} lamports, not ${account.lamports}`);
    }
    if (!raw.owner.equals(Buffer.from(universe.addresses[account.owner] ?? []))) {
      wrong.push(`${name} belongs to another program`);
    }
    const bytes = encodeAccountData(account.data, universe);
    if (!raw.data.equals(bytes)) wrong.push(`${name} differs ${whereDiffers(raw.data, bytes)}`);
  }
  return wrong;
}

function whereDiffers(is: Buffer, expected: Buffer): string {
  if (is.length !== expected.length) return `in length: ${is.length}, not ${expected.length}`;
  const at = is.findIndex((byte, place) => byte !== expected[place]);
  const part = (bytes: Buffer): string => bytes.subarray(at, at + 8).toString('hex');
  return `from byte ${at} on: ${part(is)}, not ${part(expected)}`;
}
