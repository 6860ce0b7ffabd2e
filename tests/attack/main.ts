/**
 * `npm run attack`: every surface is attacked, then once more with each of the checks taken away
 * that hold the attacks off, and must notice it. Ends with a table.
 *
 * `-- --surface=<words>` runs only those whose name holds the words; `--removed=<name>` runs only
 * without that check; `--whole` leaves the runs without checks out. ATTACK_SEED draws the same
 * attacks again.
 * Ends with 0 when nothing was found, with 1 when something was, with 2 when a surface could not be
 * attacked, tried too little, or did not notice that a check was gone.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { prepareSystemsDir } from '../support/system/systems-dir.ts';
import {
  createTemplateDatabase,
  type TemplateDatabase,
} from '../support/database/template-database.ts';
import type { Report, Surface } from './surface.ts';
import { surfaces } from './surfaces.ts';
import { formatTable, type Outcome } from './table.ts';
import { createDatabase, createStartTarget } from './target.ts';

const NOTHING_FOUND = 0;
const FOUND = 1;
const FAILED = 2;
const MOST_SENTENCES = 20;

type Run = {
  readonly seed: string;
  readonly template: TemplateDatabase;
  readonly systemsDir: string;
};

type Options = { readonly removed: string | undefined; readonly whole: boolean };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      surface: { type: 'string', default: '' },
      removed: { type: 'string' },
      whole: { type: 'boolean', default: false },
    },
  });
  const chosen = surfaces.filter(({ name }) => name.includes(values.surface));
  if (chosen.length === 0) throw new Error(`No surface is called ${values.surface}.`);
  const startedMs = performance.now();
  const seed = process.env['ATTACK_SEED'] ?? randomBytes(4).toString('hex');
  console.log(`seed ${seed}, ${chosen.length} surfaces`);
  const template = createTemplateDatabase((line) => console.log(line));
  const outcomes: Outcome[] = [];
  let failures = 0;
  try {
    const run = { seed, template, systemsDir: await prepareSystemsDir() };
    for (const surface of chosen) {
      try {
        const outcome = await attackSurface(run, surface, {
          removed: values.removed,
          whole: values.whole,
        });
        outcomes.push(outcome);
        failures += tell(outcome) ? 0 : 1;
      } catch (error) {
        // The others are attacked all the same.
        console.error(`${surface.name}: could not be attacked:`, error);
        failures += 1;
      }
    }
  } finally {
    await template.stop();
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  console.log(`\n${formatTable(outcomes)}\n\nseed ${seed}, ${minutes.toFixed(1)} minutes`);
  if (failures > 0) return FAILED;
  return outcomes.some(({ report }) => report.findings.length > 0) ? FOUND : NOTHING_FOUND;
}

async function attackSurface(run: Run, surface: Surface, options: Options): Promise<Outcome> {
  const noticed = new Map<string, boolean>();
  const only = options.removed;
  const report: Report =
    only === undefined ? await attackOnce(run, surface, null) : { cases: 0, findings: [] };
  const checks = surface.removable.filter((name) => only === undefined || name === only);
  const left = report.skipped === undefined && !options.whole ? [...checks] : [];
  const attackOnAndOn = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const { findings, skipped } = await attackOnce(run, surface, name);
      if (skipped !== undefined) continue;
      noticed.set(name, findings.length > 0);
      console.log(`  without ${name}: ${findings[0] ?? 'NOTHING NOTICED'}`);
    }
  };
  await Promise.all(Array.from({ length: surface.removedAtOnce ?? 1 }, attackOnAndOn));
  return { surface, report, noticed };
}

async function attackOnce(run: Run, surface: Surface, removed: string | null): Promise<Report> {
  const { seed } = run;
  const startedMs = performance.now();
  const without = removed === null ? '' : `, without ${removed}`;
  const report = await surface.attack({
    seed,
    removed,
    startTarget: createStartTarget({ ...run, removed }),
    createDatabase: () => createDatabase(run.template),
    progress: (line) => console.log(`  ${line}`),
  });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  const result = report.skipped ?? `${report.cases} cases, ${report.findings.length} findings`;
  console.log(`${surface.name}${without}: ${result} (${seconds} s)`);
  return report;
}

/** Says what is wrong with an outcome; true when the surface did its work. */
function tell({ surface, report, noticed }: Outcome): boolean {
  for (const finding of report.findings.slice(0, MOST_SENTENCES))
    console.log(`  FOUND: ${finding}`);
  const more = report.findings.length - MOST_SENTENCES;
  if (more > 0) console.log(`  … and ${more} more`);
  const ran = report.skipped === undefined && report.cases > 0;
  const isEnough = !ran || report.cases >= surface.leastCases;
  if (!isEnough) console.log(`  WRONG: fewer than ${surface.leastCases} cases`);
  const blind = [...noticed].filter(([, wasNoticed]) => !wasNoticed);
  for (const [name] of blind) console.log(`  WRONG: it does not notice that ${name} is gone`);
  return isEnough && blind.length === 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = FAILED;
}
