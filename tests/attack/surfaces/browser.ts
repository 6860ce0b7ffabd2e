import { randomBytes } from 'node:crypto';
import { dashboardProcess } from '@agent-wallet/local-system/system/app-processes.ts';
import { createHttpOwner } from '../../support/http/http-owner.ts';
import { apiAt, withApis } from '../further-apis.ts';
import { mutantsNoticedBy } from '../../mutants/mutants.ts';
import { attackParts, type Part } from '../parts.ts';
import { addSessionKeys } from '../session-keys.ts';
import type { Surface } from '../surface.ts';
import { cookies } from './browser/cookies.ts';
import { foreignPages } from './browser/foreign-pages.ts';
import { pageHeaders } from './browser/page-headers.ts';
import { tokens } from './browser/tokens.ts';
import { type BrowserWorld, HTTPS_ORIGIN } from './browser/world.ts';

const PARTS: readonly Part<BrowserWorld>[] = [cookies, tokens, foreignPages, pageHeaders];

/** Attacks through the owner's browser by other pages, and forged cookies. */
export const browser: Surface = {
  name: 'browser',
  leastCases: 1_000,
  mutants: mutantsNoticedBy('surface browser'),
  mutantsAtOnce: 2,
  attack: async (context) => {
    const cookieSecret = randomBytes(32).toString('base64');
    const processes = withApis({ https: { DASHBOARD_ORIGIN: HTTPS_ORIGIN } });
    await using target = await context.startTarget({
      workers: { tx: 0, confirm: 0 },
      slotTimeMs: 200,
      env: { api: { COOKIE_SECRET: cookieSecret, RATE_BURST: '1000000' } },
      processes: (surroundings) => [...processes(surroundings), dashboardProcess(surroundings)],
    });
    const { system, fixture, deaths } = target;
    await addSessionKeys(fixture.db, 4);
    const owner = await createHttpOwner(system, fixture, 0n);
    const report = await attackParts(context, PARTS, {
      api: system,
      https: apiAt(target, 'https'),
      dashboardUrl: system.urls.processes['dashboard'] ?? '',
      origin: system.urls.dashboard,
      db: fixture.db,
      owner,
      cookieSecret,
    });
    return { ...report, findings: [...report.findings, ...deaths] };
  },
};
