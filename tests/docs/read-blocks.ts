import { readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** A command of a document, with the output that the document shows for it. */
export type ShellStep = {
  readonly kind: 'shell';
  /** Line of the document on which the command, or its block, begins. */
  readonly line: number;
  readonly code: string;
  /** The output as shown, where the document shows one; `…` stands for any text. */
  readonly output: string | null;
};

/** SQL statements of a document, run with the login that their first line names. */
export type SqlStep = {
  readonly kind: 'sql';
  readonly line: number;
  readonly code: string;
  readonly login: string;
};

/** A block that the document marks as not run, with the reason. */
export type SkippedStep = {
  readonly kind: 'skipped';
  readonly line: number;
  readonly reason: string;
};

export type Step = ShellStep | SqlStep | SkippedStep;

type Block = {
  readonly language: string;
  readonly line: number;
  readonly code: string;
  readonly reason: string | null;
};

const FENCE = /^\s*```(\w*)/;
const NOT_RUN = /^\s*<!-- not run: (.+) -->$/;
const LOGIN = /^-- as the (\w+)\b/;
const PROMPT = '$ ';

/**
 * Returns the steps of a document in their order: the blocks `sh`, `bash` and `console`, which run
 * in one shell, and the blocks `sql`. A `console` block without a prompt is the output of the block
 * before it. The comment `<!-- not run: reason -->` above a block marks it as skipped. Throws for a
 * block of SQL that names no login.
 */
export function readSteps(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const block of readBlocks(markdown)) {
    const { language, line, code, reason } = block;
    if (!['sh', 'bash', 'console', 'sql'].includes(language)) continue;
    if (reason !== null) steps.push({ kind: 'skipped', line, reason });
    else if (language === 'sql') steps.push(sqlStep(block));
    else if (language !== 'console') steps.push({ kind: 'shell', line, code, output: null });
    else if (code.startsWith(PROMPT)) steps.push(...promptSteps(block));
    else steps.push(withOutput(steps.pop(), block));
  }
  return steps;
}

function readBlocks(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  let reason: string | null = null;
  for (let index = 0; index < lines.length; index += 1) {
    const text = lines[index] ?? '';
    const fence = FENCE.exec(text);
    if (fence === null) {
      if (text.trim() !== '') reason = NOT_RUN.exec(text)?.[1] ?? null;
      continue;
    }
    const end = lines.findIndex((line, at) => at > index && line.trim() === '```');
    if (end === -1) throw new Error(`line ${index + 1}: the block has no end`);
    const indent = text.length - text.trimStart().length;
    const code = lines.slice(index + 1, end).map((line) => line.slice(indent));
    blocks.push({ language: fence[1] ?? '', line: index + 1, code: code.join('\n'), reason });
    reason = null;
    index = end;
  }
  return blocks;
}

function sqlStep({ line, code }: Block): SqlStep {
  const login = LOGIN.exec(code)?.[1];
  if (login === undefined) throw new Error(`line ${line}: begin the SQL with "-- as the <login>"`);
  return { kind: 'sql', line, code, login };
}

/** One step for each prompt; a command goes on while its lines end in a backslash. */
function promptSteps({ line, code }: Block): ShellStep[] {
  const steps: ShellStep[] = [];
  const lines = code.split('\n');
  for (let index = 0; index < lines.length;) {
    const next = lines.findIndex((text, at) => at > index && text.startsWith(PROMPT));
    const part = lines.slice(index, next === -1 ? lines.length : next);
    const last = part.findIndex((text) => !text.endsWith('\\'));
    steps.push({
      kind: 'shell',
      line: line + 1 + index,
      code: part
        .slice(0, last + 1)
        .join('\n')
        .slice(PROMPT.length),
      output: part
        .slice(last + 1)
        .join('\n')
        .trim(),
    });
    index += part.length;
  }
  return steps;
}

function withOutput(step: Step | undefined, { line, code }: Block): ShellStep {
  if (step?.kind !== 'shell') throw new Error(`line ${line}: this output follows no command`);
  return { ...step, output: code };
}

/** Leaves out white space, so that a document may break long lines. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** Returns the pattern of an output without white space; `…` in the shown text matches any text. */
export function outputPattern(shown: string): RegExp {
  return new RegExp(`^${withoutSpace(shown).split('…').map(literally).join('.*')}$`, 's');
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** The first block of a document in this language, or the first after a heading. */
export function readBlock(path: string, language: string, heading = ''): string {
  const text = readFileSync(new URL(path, ROOT), 'utf8');
  const pattern = new RegExp(`${heading}\\n.*?\`\`\`${language}\\n(?<code>.*?)\`\`\``, 's');
  const code = pattern.exec(text)?.groups?.['code'];
  if (code === undefined) throw new Error(`${path} has no block of ${language}`);
  return code;
}
