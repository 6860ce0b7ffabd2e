import { type Call, definitionOf, type Meta } from '../step.ts';
import type { Id } from '../world/universe.ts';
import type { Hand } from './hand.ts';

/** The call with one change to its accounts, signers or bytes, which may be harmless. */
export function spoil(hand: Hand, call: Call): Call {
  const { random } = hand;
  if (call.metas.length === 0) return call;
  if (random.chance(0.15)) return imitate(hand, call);
  const kind = random.below(100);
  if (kind < 40) return changeOne(hand, call, (meta) => ({ ...meta, id: another(hand, meta.id) }));
  if (kind < 55) return changeSigner(hand, call, (meta) => ({ ...meta, signer: false }));
  if (kind < 70) {
    return changeSigner(hand, call, (meta) => ({ ...meta, id: random.pick(hand.universe.people) }));
  }
  if (kind < 82) {
    const writables = call.metas.filter(({ writable }) => writable);
    if (writables.length === 0) return call;
    const chosen = random.pick(writables);
    return changeMeta(call, chosen, { ...chosen, writable: false });
  }
  if (kind < 88) {
    const copied = random.pick(call.metas).id;
    return changeOne(hand, call, (meta) => ({ ...meta, id: copied }));
  }
  if (kind < 92) return { ...call, metas: call.metas.slice(0, random.below(call.metas.length)) };
  const isWhole = call.metas.length === definitionOf(call).accounts.length;
  if (kind < 94 && isWhole) {
    const id = random.pick([...hand.universe.addresses.keys()]);
    return {
      ...call,
      metas: [...call.metas, { role: 'more', id, signer: false, writable: false }],
    };
  }
  return { ...call, bytes: random.pick(['cut', 'longer', 'unknown instruction']) };
}

/** Another kind of account, or a forged one, in the place of the vault or the session. */
function imitate({ random, universe, model }: Hand, call: Call): Call {
  const ours = call.metas.filter(({ role }) => role === 'vault' || role === 'session');
  if (ours.length === 0) return call;
  const chosen = random.pick(ours);
  const { forged, sessions, wallets, fixed } = universe;
  const exists = (id: Id): boolean => model.accounts.has(id);
  const others = chosen.role === 'vault' ? sessions : wallets.map(({ vault }) => vault);
  const byProgram = forged.filter((id) => model.accounts.get(id)?.owner === fixed.program);
  const lists = [byProgram, forged.filter(exists), others.filter(exists)];
  const filled = lists.filter((list) => list.length > 0);
  if (filled.length === 0) return call;
  return changeMeta(call, chosen, { ...chosen, id: random.pick(random.pick(filled)) });
}

function changeOne(hand: Hand, call: Call, change: (meta: Meta) => Meta): Call {
  const chosen = hand.random.pick(call.metas);
  return changeMeta(call, chosen, change(chosen));
}

function changeSigner(hand: Hand, call: Call, change: (meta: Meta) => Meta): Call {
  const signers = call.metas.filter(({ signer }) => signer);
  if (signers.length === 0) return call;
  const chosen = hand.random.pick(signers);
  return changeMeta(call, chosen, change(chosen));
}

function changeMeta(call: Call, old: Meta, spoiled: Meta): Call {
  return { ...call, metas: call.metas.map((meta) => (meta === old ? spoiled : meta)) };
}

/** Another address: the same role of another wallet, a forged one, or any. */
function another({ random, universe }: Hand, id: Id): Id {
  const { wallets, sessions, forged, tokenAccounts, addresses } = universe;
  const kin = [
    wallets.map(({ vault }) => vault),
    sessions,
    tokenAccounts,
    wallets.map(({ yieldAuthority }) => yieldAuthority),
  ].find((list) => list.includes(id));
  if (kin !== undefined && random.chance(0.5)) return random.pick(kin);
  if (random.chance(0.4)) return random.pick(forged);
  return random.below(addresses.length);
}
