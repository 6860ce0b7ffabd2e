import { MAX_U64, type Session, type Vault } from '../world/account.ts';
import type { Model } from '../model/scene.ts';
import type { Memory } from './memory.ts';
import type { Random } from './random.ts';
import type { Id, Universe, WalletIds } from '../world/universe.ts';
import type { WorldSettings } from '../world/world.ts';

/** The inputs of drawing. The model is only read, so that many steps succeed. */
export type Hand = {
  readonly random: Random;
  readonly universe: Universe;
  readonly settings: WorldSettings;
  readonly model: Model;
  readonly memory: Memory;
};

/** A wallet, its vault if there is one, and one of its sessions, alive or not. */
export type Choice = {
  readonly wallet: WalletIds;
  readonly vault: Vault | undefined;
  readonly key: Id;
  readonly sessionId: Id;
  readonly session: Session | undefined;
};

export function choose(hand: Hand): Choice {
  const { random, universe, settings } = hand;
  return chooseOf(hand, random.pick(universe.wallets.slice(0, settings.wallets)));
}

export function chooseOf(hand: Hand, wallet: WalletIds): Choice {
  const { random, universe } = hand;
  const vault = hand.model.accounts.get(wallet.vault)?.data;
  const candidates = universe.sessionKeys.map((key) => {
    const sessionId = universe.sessionOf(wallet.vault, key)?.id ?? key;
    return { key, sessionId, session: sessionIn(hand, sessionId) };
  });
  const alive = candidates.filter(({ session }) => session !== undefined);
  const one = random.pick(alive.length > 0 && random.chance(0.9) ? alive : candidates);
  return { wallet, vault: vault?.kind === 'vault' ? vault : undefined, ...one };
}

export function sessionIn({ model }: Hand, id: Id): Session | undefined {
  const data = model.accounts.get(id)?.data;
  return data?.kind === 'session' ? data : undefined;
}

export function balanceOf({ model }: Hand, id: Id): bigint {
  const data = model.accounts.get(id)?.data;
  return data?.kind === 'tokens' ? data.amount : 0n;
}

/** One of the numbers, a neighbour, or any number; always within 64 bits. */
export function near({ random }: Hand, ...numbers: readonly bigint[]): bigint {
  if (random.chance(0.04)) return random.pick([0n, 1n, MAX_U64, MAX_U64 - 1n, random.u64()]);
  const drawn = random.pick(numbers) + random.pick([0n, 0n, 0n, -1n, 1n]);
  return clamp(drawn);
}

export function clamp(number: bigint): bigint {
  if (number < 0n) return 0n;
  return number > MAX_U64 ? MAX_U64 : number;
}
