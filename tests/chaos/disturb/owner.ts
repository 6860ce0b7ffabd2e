import { setTimeout as delay } from 'node:timers/promises';
import { findSpends } from '@agent-wallet/spend';
import { z } from 'zod';
import { drawWhole } from '../../support/rpc-proxy/draw.ts';
import { accountsOf } from '../../support/rpc-proxy/sends.ts';
import type { HttpOwner, HttpSession } from '../../support/http/http-owner.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Disturb } from '../row.ts';
import { addOwner, transfer } from '../world/load.ts';
import type { World } from '../world/world.ts';

const FUNDS = 10_000_000n;
/** Above all amounts of the load, because each amount identifies one request. */
const FIRST_AMOUNT = 500_000;
const SPENDS = 3;
const STORIES_AT_ONCE = 3;
const LIFE_SECONDS = 12n;
const SIGNED_TIMEOUT_MS = 60_000;
const CHANGES = ['paused', 'revoked', 'expired'] as const;

/**
 * Between attempts 1 and 2 the owner pauses the vault or revokes the session, or it expires. The
 * bytes of attempt 1 do not reach the chain until the change is made.
 */
export const changeBetweenAttempts: Disturb = async (world, cast, { signal, seed }) => {
  const held = new Set<string>();
  world.swallow(({ base64 }) => accountsOf(base64).some((account) => held.has(account)));
  let stories = 0;
  const runStories = async (): Promise<void> => {
    while (!signal.aborted) {
      const number = stories;
      stories += 1;
      const change = CHANGES[drawWhole([0, CHANGES.length - 1], seed, 'change', number)];
      const owner = await addOwner(world, cast, FUNDS);
      const nowSeconds = BigInt(Math.floor(Date.now() / 1_000));
      const session = await owner.createSession({
        recipients: cast.recipients,
        ...(change === 'expired' ? { expiry: nowSeconds + LIFE_SECONDS } : {}),
      });
      held.add(session.sessionPda);
      const answers = await Promise.all(
        Array.from({ length: SPENDS }, (_, n) => {
          const amount = FIRST_AMOUNT + number * SPENDS + n;
          return transfer(world, cast, session, { amount, prefer: 'wait=0' });
        }),
      );
      const spendIds = answers.map(({ body }) => z.string().parse(body['spend_id']));
      await waitUntil('a first attempt', () => isSigned(world, spendIds), {
        timeoutMs: SIGNED_TIMEOUT_MS,
        intervalMs: 200,
      });
      await make(world, owner, session, change ?? 'paused');
      world.countFault();
      held.delete(session.sessionPda);
    }
  };
  await Promise.all(Array.from({ length: STORIES_AT_ONCE }, runStories));
};

async function isSigned({ db }: World, spendIds: readonly string[]): Promise<boolean> {
  const spends = await findSpends(db, spendIds);
  return spends.some(({ attempt }) => attempt > 0);
}

async function make(
  { fixture }: World,
  { keypair }: HttpOwner,
  { sessionPda }: HttpSession,
  change: (typeof CHANGES)[number],
): Promise<void> {
  const owner = keypair.publicKey.toBase58();
  const { ownerTransactions } = fixture;
  switch (change) {
    case 'paused':
      return fixture.ownerSends(keypair, await ownerTransactions.setPaused(owner, true));
    case 'revoked': {
      const { accounts } = await fixture.rpc.accounts([sessionPda], { commitment: 'confirmed' });
      const state = accounts[0] ? fixture.program.decodeSession(accounts[0]) : null;
      if (state === null) throw new Error(`there is no session ${sessionPda}`);
      const session = { sessionPda, sessionIndex: state.index };
      return fixture.ownerSends(keypair, await ownerTransactions.revokeSession(owner, session));
    }
    case 'expired':
      await delay(Number(LIFE_SECONDS) * 1_000);
  }
}
