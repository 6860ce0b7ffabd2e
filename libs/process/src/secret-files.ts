import { readFileSync, statSync } from 'node:fs';

/** Far above every secret: a larger file is another file. */
const MOST_BYTES = 65_536;

/** What the environment says about one setting. `what` is the rest of a sentence about `name`. */
export type Given =
  | { readonly kind: 'text'; readonly value: string | undefined }
  | { readonly kind: 'file'; readonly name: string; readonly value: string }
  | { readonly kind: 'unreadable'; readonly name: string; readonly what: string };

/**
 * Reads a setting from the environment, and a secret also from the file that `NAME_FILE` names, as
 * Docker and Kubernetes mount them. One newline at the end of the file is not part of the value.
 * Neither the value nor the path is returned in `what`, because a path may be a secret by mistake.
 */
export function readGiven(name: string, isSecret: boolean, env: NodeJS.ProcessEnv): Given {
  const value = env[name];
  const fileVariable = `${name}_FILE`;
  const path = isSecret ? env[fileVariable] : undefined;
  if (path === undefined || path === '') return { kind: 'text', value };
  const unreadable = (what: string): Given => ({ kind: 'unreadable', name: fileVariable, what });
  // Compose files pass an empty value for a variable that is not set.
  if (value !== undefined && value !== '')
    return unreadable(`must not be set where ${name} is set`);
  try {
    if (statSync(path).size > MOST_BYTES) {
      return unreadable(`names a file of more than ${MOST_BYTES} bytes`);
    }
    const content = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return { kind: 'file', name: fileVariable, value: content };
  } catch (error) {
    return unreadable(`names a file that cannot be read: ${codeOf(error)}`);
  }
}

/** `ENOENT`, `EACCES`, …: the message would contain the path. */
const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
