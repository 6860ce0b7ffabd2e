import { Keypair } from '@solana/web3.js';
import { createHttpOwner } from '../../support/http/http-owner.ts';
import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { attackParts, type Part } from '../parts.ts';
import { apiAt, withApis } from '../further-apis.ts';
import { addSessionKeys } from '../session-keys.ts';
import type { Surface } from '../surface.ts';
import { bruteForce } from './keys/brute-force.ts';
import { nonces } from './keys/nonces.ts';
import { rateLimits } from './keys/rate-limits.ts';
import { rotation } from './keys/rotation.ts';
import { signatures } from './keys/signatures.ts';
import { STRICT, type KeysWorld } from './keys/world.ts';

const PARTS: readonly Part<KeysWorld>[] = [bruteForce, rateLimits, nonces, signatures, rotation];

/** Access without a valid key: guessed, used, rotated and forged credentials. */
export const keysAndNonces: Surface = {
  name: 'keys and nonces',
  leastCases: 250,
  mutants: mutantsNoticedBy('surface keys and nonces'),
  mutantsAtOnce: 2,
  attack: async (context) => {
    await using target = await context.startTarget({
      // Nothing here is signed or settles.
      workers: { tx: 0, confirm: 0 },
      slotTimeMs: 200,
      processes: withApis({ strict: STRICT }),
    });
    await addSessionKeys(target.fixture.db, 10);
    const owner = await createHttpOwner(target.system, target.fixture, 1_000_000n);
    const recipient = Keypair.generate().publicKey.toBase58();
    const { system, fixture, deaths } = target;
    const world = {
      api: system,
      strict: apiAt(target, 'strict'),
      db: fixture.db,
      owner,
      recipient,
    };
    const report = await attackParts(context, PARTS, world);
    return { ...report, findings: [...report.findings, ...deaths] };
  },
};
