import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FuzzReport, readReport } from './report.ts';

/** Values that a parameter gets with this probability, instead of what its schema allows. */
export type Dictionary = {
  /** In the fuzzer's notation: `path.id`, `body.recipient`. */
  readonly parameter: string;
  readonly values: readonly string[];
  readonly probability: number;
};

export type FuzzOptions = {
  readonly command: string;
  /** Origin of the API. */
  readonly api: string;
  /** The working folder. */
  readonly folder: string;
  readonly seed: number;
  /** Draws for each operation and kind of data. */
  readonly examples: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly operationIds: readonly string[];
  /** The document's examples, edges of schemas, random draws, sequences of calls. */
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  readonly dictionaries: readonly Dictionary[];
};

/** Statuses that may refuse invalid input. */
const REJECTIONS = [400, 401, 403, 404, 413, 415, 429];
/** 502 and 503 are documented faults of the chain and of services. */
const NO_FAULT_OF_OURS = ['2xx', '3xx', '4xx', 502, 503];
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
];
/** In case the API hangs. */
const LONGEST_MS = 15 * 60_000;

/** Sends drawn requests to operations of the API's document. Throws when none was sent. */
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
  // The exit code is 1 for findings as well as for a run that failed.
  const result = await readReport(events);
  if (result.requests === 0) throw new Error(`nothing was sent: see ${folder}/output.log`);
  return result;
}

/** JSON's notation of strings is valid TOML. */
const toml = (value: unknown): string => JSON.stringify(value);

function settingsOf({ seed, examples, headers, dictionaries }: FuzzOptions): string {
  const lists = dictionaries.map((one, i) => `list${i} = { values = ${toml(one.values)} }`);
  const bound = dictionaries.map(
    ({ parameter, probability }, i) =>
      `${toml(parameter)} = { dictionary = "list${i}", probability = ${probability} }`,
  );
  return [
    `seed = ${seed}`,
    // Schemathesis compiles its strategies unreliably in several threads.
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
