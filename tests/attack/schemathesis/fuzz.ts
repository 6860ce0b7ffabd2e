import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FuzzReport, readReport } from './report.ts';

/** Values that a parameter gets in so many of its draws, else whatever the schema allows. */
export type Dictionary = {
  /** As the fuzzer names parameters: `path.id`, `body.recipient`. */
  readonly parameter: string;
  readonly values: readonly string[];
  readonly probability: number;
};

export type FuzzOptions = {
  readonly command: string;
  /** Origin of the api. */
  readonly api: string;
  /** A folder for what it reads and writes. */
  readonly folder: string;
  readonly seed: number;
  /** Draws for each operation and kind of data. */
  readonly examples: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly operationIds: readonly string[];
  /** What a person would try, every edge of every schema, random draws, calls that follow calls. */
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  readonly dictionaries: readonly Dictionary[];
};

/** Answers that refuse what does not fit the schema. */
const REJECTIONS = [400, 401, 403, 404, 413, 415, 429];
/** Documented faults of others: of the chain, of services. */
const NO_FAULT_OF_OURS = ['2xx', '3xx', '4xx', 502, 503];
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];
/** Should the api hang. */
const LONGEST_MS = 15 * 60_000;

/** Sends drawn requests to every operation of the api's own document, and reads what came of it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { command, api, folder, operationIds, phases } = options;
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'schemathesis.toml');
  const events = join(folder, 'events.ndjson');
  await writeFile(config, settingsOf(options));
  const only = ['--include-operation-id-regex', `^(${operationIds.join('|')})$`];
  const parts = ['--phases', phases.join(',')];
  const report = ['--report', 'ndjson', '--report-ndjson-path', events];
  const args = ['--config-file', config, 'run', `${api}/openapi.json`, ...only, ...parts];
  const child = spawn(command, [...args, ...report, '--no-color'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(LONGEST_MS),
  });
  const log = createWriteStream(join(folder, 'output.log'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  await once(child, 'close');
  log.end();
  // 0: nothing found; 1: found, or it could not run, in which case there is nothing to read.
  const read = await readReport(events);
  if (read.requests === 0) throw new Error(`nothing was sent: see ${folder}/output.log`);
  return read;
}

/** Strings of TOML are those of JSON. */
const toml = (value: unknown): string => JSON.stringify(value);

function settingsOf({ seed, examples, headers, dictionaries }: FuzzOptions): string {
  const lists = dictionaries.map((one, i) => `list${i} = { values = ${toml(one.values)} }`);
  const bound = dictionaries.map(
    ({ parameter, probability }, i) =>
      `${toml(parameter)} = { dictionary = "list${i}", probability = ${probability} }`,
  );
  return [
    `seed = ${seed}`,
    // Threads of one Python disturb each other while it compiles what it draws from.
    'workers = 1',
    'continue-on-failure = true',
    'request-timeout = 60',
    'warnings = false',
    'cache = { enabled = false }',
    `[headers]`,
    ...Object.entries(headers).map(([name, value]) => `${toml(name)} = ${toml(value)}`),
    '[generation]',
    `max-examples = ${examples}`,
    'no-shrink = true',
    'database = "none"',
    'with-security-parameters = false',
    '[output.sanitization]',
    'enabled = false',
    '[dictionaries]',
    ...lists,
    '[parameters]',
    ...bound,
    '[checks]',
    'enabled = false',
    ...CHECKS.flatMap((name) => [`[checks.${name}]`, 'enabled = true', ...expectedOf(name)]),
    '',
  ].join('\n');
}

function expectedOf(check: string): string[] {
  if (check === 'not_a_server_error') return [`expected-statuses = ${toml(NO_FAULT_OF_OURS)}`];
  if (check === 'negative_data_rejection') return [`expected-statuses = ${toml(REJECTIONS)}`];
  return [];
}
