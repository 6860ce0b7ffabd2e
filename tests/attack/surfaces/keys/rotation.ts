import { sql } from 'slonik';
import { z } from 'zod';
import { callApi, type HttpAnswer } from '../../../support/http/http-owner.ts';
import type { Part } from '../../parts.ts';
import type { KeysWorld } from './world.ts';

const AT_ONCE = 50;
const IN_TURN = 10;

/** Rotated keys, also while they are in use. */
export const rotation: Part<KeysWorld> = {
  shows: ['rotated-keys-live'],
  attack: async (cases, world) => {
    const { sessionId, apiKey } = await world.owner.createSession({
      recipients: [world.recipient],
    });
    const seen = [apiKey];
    for (let turn = 1; turn <= IN_TURN; turn += 1) {
      await cases.try(`the old key right after rotation ${turn}`, async () => {
        const old = seen.at(-1) ?? '';
        seen.push(keyOf(await rotate(world, sessionId)));
        const refused = await Promise.all([position(world, old), spend(world, old)]);
        return refused.every(isRevoked)
          ? null
          : `answered ${refused.map(({ status }) => status).join()}`;
      });
    }
    await cases.try(`${AT_ONCE} rotations at once, and spends with the key before`, async () => {
      const before = seen.at(-1) ?? '';
      const [rotated, spent] = await Promise.all([
        Promise.all(Array.from({ length: AT_ONCE }, () => rotate(world, sessionId))),
        Promise.all(Array.from({ length: AT_ONCE }, () => spend(world, before))),
      ]);
      seen.push(...rotated.map(keyOf));
      const odd = spent.filter((answer) => answer.status !== 202 && !isRevoked(answer));
      return odd.length === 0 ? null : `a spend was answered ${odd[0]?.status}`;
    });
    await cases.try('every key that there ever was', async () => {
      const answers = await Promise.all(seen.map((key) => position(world, key)));
      const open = answers.filter(({ status }) => status === 200).length;
      const odd = answers.filter((answer) => answer.status !== 200 && !isRevoked(answer)).length;
      return open === 1 && odd === 0 ? null : `${open} of ${seen.length} keys open`;
    });
    await cases.try('keys that count as live', async () => {
      const { live } = await world.db.one(sql.type(z.object({ live: z.number() }))`
        select count(*)::int as live from api_key
        where session_id = ${sessionId}::uuid and revoked_at is null
      `);
      return live === 1 ? null : `${live} rows`;
    });
  },
};

const rotate = ({ api, owner }: KeysWorld, sessionId: string): Promise<HttpAnswer> =>
  callApi(api, 'POST', `/v1/session/${sessionId}/rotate-key`, {
    headers: { cookie: owner.cookie },
  });

function keyOf({ status, body }: HttpAnswer): string {
  if (status !== 200) throw new Error(`a rotation was answered ${status}`);
  return String(body['api_key']);
}

const position = ({ api }: KeysWorld, apiKey: string): Promise<HttpAnswer> =>
  callApi(api, 'GET', '/v1/yield/position', { headers: { authorization: `Bearer ${apiKey}` } });

const spend = ({ api, recipient }: KeysWorld, apiKey: string): Promise<HttpAnswer> =>
  callApi(api, 'POST', '/v1/spend/transfer', {
    headers: { authorization: `Bearer ${apiKey}`, prefer: 'respond-async' },
    body: { recipient, amount: 1 },
  });

const isRevoked = ({ status, body }: HttpAnswer): boolean =>
  status === 401 && body['error'] === 'api key revoked';
