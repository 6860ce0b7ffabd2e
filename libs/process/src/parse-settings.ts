/** From the environment of a process to its settings. */
import { z } from 'zod';
import { readGiven } from './secret-files.ts';

/** Settings that are missing or wrong. The message names each of them, and never a value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/**
 * Values that exclude each other, although each is valid by itself. `when` sees the settings of `of`
 * alone; it is not called while one of them is invalid. The error names the first of them.
 */
export type Contradiction<Settings> = {
  readonly of: readonly [keyof Settings & string, ...(keyof Settings & string)[]];
  readonly when: (settings: Settings) => boolean;
  /** What the first setting must be: the rest of a sentence such as "must be below B". */
  readonly must: string;
};

type Problem = { readonly name: string; readonly what: string };

/**
 * Parses a process's environment. A setting whose schema has `secret` in its metadata can be given
 * as a file: `NAME_FILE` instead of `NAME`. Throws a SettingsError that names every variable that is
 * missing, wrong or contradicts another one, and what it must be, never its value.
 */
export function parseSettings<Shape extends z.core.$ZodShape>(
  process: string,
  schema: z.ZodObject<Shape>,
  env: NodeJS.ProcessEnv,
  contradictions: readonly Contradiction<z.output<z.ZodObject<Shape>>>[] = [],
): z.output<z.ZodObject<Shape>> {
  const problems: Problem[] = [];
  const settings: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const given = readGiven(name, z.globalRegistry.get(field)?.['secret'] === true, env);
    if (given.kind === 'unreadable') {
      problems.push(given);
      continue;
    }
    const parsed = z.safeParse(field, given.value, { error: describeIssue });
    if (parsed.success) {
      settings[name] = parsed.data;
      continue;
    }
    const what = parsed.error.issues[0]?.message ?? 'is not valid';
    if (given.value === undefined) problems.push({ name, what: 'is missing' });
    else if (given.kind === 'text') problems.push({ name, what });
    else problems.push({ name: given.name, what: `names a file whose content ${what}` });
  }
  // The fields of the shape were parsed one by one, so that one failure does not hide another.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const parsed = settings as z.output<z.ZodObject<Shape>>;
  for (const { of, when, must } of contradictions) {
    if (of.every((name) => name in settings) && when(parsed)) {
      problems.push({ name: of[0], what: must });
    }
  }
  if (problems.length > 0) throw new SettingsError(describeProblems(process, problems));
  return parsed;
}

function describeProblems(process: string, problems: readonly Problem[]): string {
  const sentences = problems.map(({ name, what }) => `the environment variable ${name} ${what}`);
  if (sentences.length === 1) return `${process}: ${sentences.join('')}`;
  return [
    `${process}: ${sentences.length} environment variables are missing or wrong:`,
    ...sentences.map((sentence) => `- ${sentence}`),
  ].join('\n');
}

/** What the value must be, for a rule without a message of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'too_small':
      return issue.minimum === 1
        ? 'must not be empty'
        : `must have at least ${issue.minimum} characters`;
    case 'invalid_value':
      return issue['expected'] === 'stringbool'
        ? 'must be true or false'
        : `must be one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return `must be a valid ${issue.format}`;
    default:
      return 'is not valid';
  }
}
