import { execFileSync, spawnSync } from 'node:child_process';

/** The cases of the alert rules take some 10 s of CPU time. */
const TIMEOUT_MS = 300_000;

/** Why promtool cannot be run here; null when it can. */
export function whyNoPromtool(): string | null {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore', timeout: TIMEOUT_MS });
    return null;
  } catch {
    return 'promtool is not on the PATH; the Debian package prometheus has it';
  }
}

/** Runs promtool in `cwd`. Returns what it printed, and its exit code. */
export function promtool(
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string } = {},
): { readonly output: string; readonly code: number | null } {
  const ran = spawnSync('promtool', args, { ...options, encoding: 'utf8', timeout: TIMEOUT_MS });
  if (ran.error !== undefined) throw ran.error;
  return { output: `${ran.stdout}${ran.stderr}`, code: ran.status };
}
