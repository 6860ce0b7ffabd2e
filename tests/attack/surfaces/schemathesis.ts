import { join } from 'node:path';
import { callApi } from '../../support/http/http-owner.ts';
import { type Operation, readOperations } from '../http/document.ts';
import { createParty, type Party } from '../http/party.ts';
import { type Dictionary, fuzz, type FuzzOptions } from '../schemathesis/fuzz.ts';
import { installSchemathesis } from '../schemathesis/install.ts';
import type { FuzzReport } from '../schemathesis/report.ts';
import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import type { AttackContext, Report, Surface } from '../surface.ts';
import type { Target } from '../target.ts';

const LEAST_REQUESTS = 10_000;
const FAST_SLOTS_MS = 100;
/** Draws for each operation, enough for LEAST_REQUESTS. */
const DRAWS = 200;
const EDGES = ['examples', 'coverage'] as const;
const DRAWN = ['fuzzing', 'stateful'] as const;
/** Would end the cookie of all other requests. */
const SIGN_OUT = 'postAuthLogout';

/** A sender of drawn requests. */
type Caller = {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly operationIds: readonly string[];
  /** The owner of the ids that it often sends. */
  readonly party: Party;
  /** Draws for each operation, relative to other callers. */
  readonly share: number;
};

/** Drawn requests to every operation of the OpenAPI document, whose answers must conform to it. */
export const schemathesis: Surface = {
  name: 'schemathesis',
  leastCases: LEAST_REQUESTS,
  mutants: mutantsNoticedBy('surface schemathesis'),
  mutantsAtOnce: 2,
  attack: async (context) => {
    const { startTarget, progress } = context;
    const installed = await installSchemathesis(progress);
    if (installed.kind === 'missing') {
      return { cases: 0, findings: [], skipped: installed.sentence };
    }
    await using target = await startTarget({
      slotTimeMs: FAST_SLOTS_MS,
      env: {
        api: { RATE_PER_SECOND: '100000', RATE_BURST: '100000', SIGN_IN_PER_MINUTE: '1000000' },
      },
    });
    const all = await createCallers(target);
    const callers = context.mutant === null ? all : [all[0]];
    const reports = await Promise.all(
      callers.map((caller) => fuzz(optionsFor(context, target, installed.command, caller))),
    );
    printStatuses(reports, callers, progress);
    return summarise(target, reports);
  },
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The agents belong to another owner than the caller `owner`, who changes keys and policies. */
async function createCallers(target: Target): Promise<readonly [Caller, ...Caller[]]> {
  const [reading, paying] = await Promise.all([createParty(target), createParty(target)]);
  const { apiKey } = await paying.owner.createSession({
    recipients: [paying.recipient],
    maxPerTx: 1_000n,
    dailyCap: 3_000n,
  });
  const operations = await readOperations(target.system);
  const idsOf = (of: Operation['caller']): string[] =>
    operations
      .filter(({ caller, operationId }) => caller === of && operationId !== SIGN_OUT)
      .map(({ operationId }) => operationId);
  const all = operations.map(({ operationId }) => operationId);
  const asOwner = { cookie: reading.owner.cookie };
  const asAgent = { ...bearer(paying.session.apiKey), prefer: 'wait=0' };
  const limited = { ...bearer(apiKey), prefer: 'wait=1' };
  const ofAgent = { operationIds: idsOf('agent'), party: paying };
  return [
    { name: 'owner', headers: asOwner, operationIds: idsOf('owner'), party: reading, share: 1 },
    { name: 'agent', headers: asAgent, ...ofAgent, share: 1.5 },
    { name: 'nobody', headers: {}, operationIds: all, party: reading, share: 0.5 },
    { name: 'agent within limits', headers: limited, ...ofAgent, share: 0.1 },
  ];
}

function optionsFor(
  { seed, mutant }: AttackContext,
  { system, logsDir }: Target,
  command: string,
  { name, headers, operationIds, party, share }: Caller,
): FuzzOptions {
  return {
    command,
    api: system.urls.api,
    folder: join(logsDir, `schemathesis-${name.replaceAll(' ', '-')}`),
    seed: Number.parseInt(Buffer.from(seed).toString('hex').slice(0, 8), 16),
    examples: Math.max(1, Math.round(DRAWS * share)),
    // The edges alone notice every mutant.
    phases: mutant === null ? [...EDGES, ...DRAWN] : EDGES,
    headers,
    operationIds,
    dictionaries: dictionariesOf(party),
  };
}

/** Existing values, so that draws get past the first checks. */
function dictionariesOf({
  owner: { walletId },
  session,
  recipient,
  spendId,
  url,
}: Party): readonly Dictionary[] {
  const often = 0.6;
  return [
    { parameter: 'path.id', values: [session.sessionId, spendId], probability: 0.8 },
    { parameter: 'query.session_id', values: [session.sessionId], probability: often },
    { parameter: 'body.wallet_id', values: [walletId], probability: often },
    { parameter: 'body.recipient', values: [recipient], probability: often },
    { parameter: 'body.url', values: [url], probability: often },
  ];
}

function printStatuses(
  reports: readonly FuzzReport[],
  callers: readonly Caller[],
  progress: (line: string) => void,
): void {
  reports.forEach(({ requests, byStatus }, i) => {
    const statuses = [...byStatus].map(([status, times]) => `${status} ${times} times`);
    progress(`${callers[i]?.name}: ${requests} requests, ${statuses.join(', ')}`);
  });
}

async function summarise({ system }: Target, reports: readonly FuzzReport[]): Promise<Report> {
  const findings = reports.flatMap((report) => report.findings);
  const health = await callApi(system, 'GET', '/livez');
  if (health.status !== 200) findings.push('GET /livez: the api is down');
  return { cases: reports.reduce((sum, { requests }) => sum + requests, 0), findings };
}
