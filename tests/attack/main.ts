/**
 * `npm run attack`: attacks every surface, then once more each of its mutants, which it must
 * notice. Prints a table at the end.
 *
 * `-- --surface=<words>` selects the surfaces whose name contains the words; `--mutant=<name>` runs
 * only that mutant; `--whole` skips all mutants. ATTACK_SEED repeats the attacks of an earlier run.
 *
 * Exit code 0: nothing was found. 1: something was found. 2: a surface could not be attacked, tried
 * too few cases, or did not notice a mutant.
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
import { tableOf, type Outcome } from './table.ts';
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

type Options = { readonly mutant: string | undefined; readonly whole: boolean };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      surface: { type: 'string', default: '' },
      mutant: { type: 'string' },
      whole: { type: 'boolean', default: false },
    },
  });
  const chosen = surfaces.filter(({ name }) => name.includes(values.surface));
  if (chosen.length === 0) throw new Error(`No surface is called ${values.surface}.`);
  const { mutant } = values;
  if (mutant !== undefined && !chosen.some(({ mutants }) => mutants.includes(mutant))) {
    throw new Error(`No chosen surface has a mutant ${mutant}.`);
  }
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
        const outcome = await attackSurface(run, surface, { mutant, whole: values.whole });
        outcomes.push(outcome);
        failures += tell(outcome) ? 0 : 1;
      } catch (error) {
        // The other surfaces are attacked all the same.
        console.error(`${surface.name}: could not be attacked:`, error);
        failures += 1;
      }
    }
  } finally {
    await template.stop();
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  console.log(`\n${tableOf(outcomes)}\n\nseed ${seed}, ${minutes.toFixed(1)} minutes`);
  if (failures > 0) return FAILED;
  return outcomes.some(({ report }) => report.findings.length > 0) ? FOUND : NOTHING_FOUND;
}

async function attackSurface(run: Run, surface: Surface, options: Options): Promise<Outcome> {
  const noticed = new Map<string, boolean>();
  const only = options.mutant;
  const report: Report =
    only === undefined ? await attackOnce(run, surface, null) : { cases: 0, findings: [] };
  const chosen = surface.mutants.filter((name) => only === undefined || name === only);
  const left = report.skipped === undefined && !options.whole ? [...chosen] : [];
  const attackOnAndOn = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const { findings, skipped } = await attackOnce(run, surface, name);
      if (skipped !== undefined) continue;
      noticed.set(name, findings.length > 0);
      console.log(`  mutant ${name}: ${findings[0] ?? 'NOT NOTICED'}`);
    }
  };
  await Promise.all(Array.from({ length: surface.mutantsAtOnce ?? 1 }, attackOnAndOn));
  return { surface, report, noticed };
}

async function attackOnce(run: Run, surface: Surface, mutant: string | null): Promise<Report> {
  const { seed } = run;
  const startedMs = performance.now();
  const suffix = mutant === null ? '' : `, mutant ${mutant}`;
  const report = await surface.attack({
    seed,
    mutant,
    startTarget: createStartTarget({ ...run, mutant }),
    createDatabase: () => createDatabase(run.template),
    progress: (line) => console.log(`  ${line}`),
  });
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0);
  const result = report.skipped ?? `${report.cases} cases, ${report.findings.length} findings`;
  console.log(`${surface.name}${suffix}: ${result} (${seconds} s)`);
  return report;
}

/** Prints what is wrong with an outcome. Returns whether the surface did its work. */
function tell({ surface, report, noticed }: Outcome): boolean {
  for (const finding of report.findings.slice(0, MOST_SENTENCES))
    console.log(`  FOUND: ${finding}`);
  const more = report.findings.length - MOST_SENTENCES;
  if (more > 0) console.log(`  … and ${more} more`);
  const ran = report.skipped === undefined && report.cases > 0;
  const isEnough = !ran || report.cases >= surface.leastCases;
  if (!isEnough) console.log(`  WRONG: fewer than ${surface.leastCases} cases`);
  const blind = [...noticed].filter(([, wasNoticed]) => !wasNoticed);
  for (const [name] of blind) console.log(`  WRONG: the mutant ${name} is not noticed`);
  return isEnough && blind.length === 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = FAILED;
}
