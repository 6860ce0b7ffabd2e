import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createHttpOwner } from '../../support/http/http-owner.ts';
import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { attackParts, type Part } from '../parts.ts';
import { send } from '../plain-http.ts';
import { addSessionKeys } from '../session-keys.ts';
import type { Surface } from '../surface.ts';
import { bodies, values } from './requests/bodies.ts';
import { framing } from './requests/framing.ts';
import { paths } from './requests/paths.ts';
import { patterns } from './requests/patterns.ts';
import { slowness } from './requests/slowness.ts';
import { turns } from './requests/turns.ts';
import type { RequestsWorld } from './requests/world.ts';

const PARTS: readonly Part<RequestsWorld>[] = [
  turns,
  slowness,
  framing,
  bodies,
  values,
  paths,
  patterns,
];
const limits = z.object({ session_id: z.string() });

/** Malformed HTTP, malformed JSON and hostile input, beside a bystander's regular requests. */
export const requests: Surface = {
  name: 'requests',
  leastCases: 2_500,
  mutants: mutantsNoticedBy('surface requests'),
  attack: async (context) => {
    await using target = await context.startTarget({
      workers: { tx: 0, confirm: 0 },
      slotTimeMs: 200,
      env: { api: { RATE_PER_SECOND: '1000000', RATE_BURST: '1000000' } },
    });
    const { system, fixture, deaths } = target;
    await addSessionKeys(fixture.db, 100);
    const owner = await createHttpOwner(system, fixture, 1_000_000n);
    const recipient = await fixture.createRecipient();
    const session = await owner.createSession({ recipients: [recipient] });
    const other = await owner.createSession({ recipients: [] });
    const bystander = context.mutant === null ? watch(system, other) : null;
    const report = await attackParts(context, PARTS, {
      api: system,
      owner,
      recipient,
      sessionId: session.sessionId,
      apiKey: session.apiKey,
    });
    const mixedUp = (await bystander?.stop()) ?? [];
    return { ...report, findings: [...report.findings, ...deaths, ...mixedUp] };
  },
};

/** Sends the same request over and over, and checks that each answer is its own. */
function watch(
  api: Parameters<typeof send>[0],
  { apiKey, sessionId }: { readonly apiKey: string; readonly sessionId: string },
): { stop(): Promise<readonly string[]> } {
  const findings: string[] = [];
  const over = new AbortController();
  const all = (async () => {
    while (!over.signal.aborted) {
      const id = randomUUID();
      const headers = { authorization: `Bearer ${apiKey}`, 'x-request-id': id };
      const answer = await send(api, 'GET', '/v1/agent/limits', { headers }).catch(() => null);
      const parsed = limits.safeParse(answer === null ? null : JSON.parse(answer.text));
      const isOwn = answer?.headers['x-request-id'] === id && parsed.data?.session_id === sessionId;
      if (!isOwn) findings.push(`a bystander was answered ${answer?.status ?? 'not at all'}`);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await all;
      return findings.slice(0, 5);
    },
  };
}
