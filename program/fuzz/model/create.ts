import { type Account, type Data, newTokens, TOKENS_RENT } from '../world/account.ts';
import type { Id } from '../world/universe.ts';
import { accountAt, isMissing, type Scene } from './scene.ts';

/** 3011 for an account that is there already. */
export function existsProblem(scene: Scene, id: Id): number | null {
  return isMissing(scene, id) ? null : 3011;
}

/** Creates the account; the owner pays the missing rent. */
export function create(scene: Scene, id: Id, rent: bigint, owner: Id, data: Data): void {
  const had = accountAt(scene, id)?.lamports ?? 0n;
  const payer = accountAt(scene, scene.at('owner'));
  const missing = had < rent ? rent - had : 0n;
  if (payer !== undefined) payer.lamports -= missing;
  const account: Account = { lamports: had + missing, owner, data };
  scene.model.accounts.set(id, account);
}

/** Creates a token account unless it is there already. */
export function createTokens(scene: Scene, id: Id, wallet: Id, mint: Id): void {
  if (!isMissing(scene, id)) return;
  const { tokenProgram } = scene.universe.fixed;
  create(scene, id, TOKENS_RENT, tokenProgram, newTokens(wallet, mint));
}
