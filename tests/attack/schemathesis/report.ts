import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';

/** The result of one run of the fuzzer. */
export type FuzzReport = {
  readonly requests: number;
  /** Requests by the status of their answer. */
  readonly byStatus: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
};

const MOST_BODY_CHARS = 400;
const MOST_MESSAGE_CHARS = 300;

const failure = z.object({
  title: z.string(),
  message: z.string().default(''),
  operation: z.string().default(''),
});
const interaction = z.object({
  request: z.object({
    method: z.string(),
    uri: z.string(),
    headers: z.record(z.string(), z.unknown()).default({}),
    body: z.unknown().optional(),
  }),
  response: z.object({ status_code: z.number(), content: z.unknown().optional() }).nullish(),
});
type Interaction = z.output<typeof interaction>;

const finished = z.object({
  label: z.string(),
  checks: z
    .record(
      z.string(),
      z.array(z.object({ name: z.string(), failure_info: z.object({ failure }).nullish() })),
    )
    .default({}),
  interactions: z.record(z.string(), interaction).default({}),
});
const line = z.object({
  ScenarioFinished: z.object({ recorder: finished }).optional(),
  NonFatalError: z.object({ label: z.string(), value: z.unknown().optional() }).optional(),
  FatalError: z.unknown().optional(),
});

/** Reads the fuzzer's events, one a line. The same fault of an operation counts once. */
export async function readReport(path: string): Promise<FuzzReport> {
  const byStatus = new Map<string, number>();
  const findings = new Map<string, string>();
  let requests = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const event = line.parse(JSON.parse(text));
    if (event.FatalError !== undefined) findings.set('fatal', JSON.stringify(event.FatalError));
    const error = event.NonFatalError;
    if (error !== undefined) findings.set(error.label, `${error.label}: ${excerptOf(error.value)}`);
    const scenario = event.ScenarioFinished?.recorder;
    if (scenario === undefined) continue;
    const { label, interactions, checks } = scenario;
    for (const { response } of Object.values(interactions)) {
      requests += 1;
      const status = String(response?.status_code ?? 'none');
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
    }
    for (const [caseId, done] of Object.entries(checks)) {
      for (const { name, failure_info: info } of done) {
        if (info === undefined || info === null) continue;
        const { failure: fault } = info;
        const key = `${name} ${fault.operation || label} ${fault.title}`;
        if (!findings.has(key)) {
          findings.set(key, describe(name, fault, label, interactions[caseId]));
        }
      }
    }
  }
  return { requests, byStatus, findings: [...findings.values()] };
}

function describe(
  check: string,
  { title, message, operation }: z.output<typeof failure>,
  label: string,
  found: Interaction | undefined,
): string {
  const why = message.replaceAll(/\s+/g, ' ').slice(0, MOST_MESSAGE_CHARS);
  const status = found?.response?.status_code ?? 'nothing';
  const request = found === undefined ? '' : `: ${toCurl(found.request)} → ${status}`;
  return `${operation || label}, ${check}, ${title} (${why})${request}`;
}

/** Returns the request as a curl command without credentials. */
function toCurl({ method, uri, headers, body }: Interaction['request']): string {
  const sent = Object.entries(headers)
    .filter(([name]) => !/^(authorization|cookie|x-schemathesis.*)$/i.test(name))
    .map(([name, value]) => `-H '${name}: ${[value].flat().join(', ')}'`);
  const text = textOf(body);
  const data = text === '' ? [] : [`--data-raw '${text.slice(0, MOST_BODY_CHARS)}'`];
  return ['curl', '-X', method, `'${uri}'`, ...sent, ...data].join(' ');
}

function textOf(body: unknown): string {
  const encoded = z.object({ $base64: z.string() }).safeParse(body);
  if (encoded.success) return Buffer.from(encoded.data.$base64, 'base64').toString('utf8');
  return typeof body === 'string' ? body : '';
}

const excerptOf = (value: unknown): string =>
  JSON.stringify(value)?.slice(0, MOST_MESSAGE_CHARS) ?? '';
