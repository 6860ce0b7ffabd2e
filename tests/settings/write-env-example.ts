import type { z } from 'zod';
import { describeSetting, type SettingDescription } from './describe-setting.ts';

const LINE_CHARS = 100;

/**
 * An environment file of one process: what is required without a value, everything else commented
 * out with its default.
 */
export function writeEnvExample(process: string, { shape }: z.ZodObject): string {
  const settings = Object.entries(shape).map(([name, field]) => describeSetting(name, field));
  const head = [
    `The settings of ${process}, as docs/settings.md describes them. Written by \`npm run settings\`.`,
    'A secret can be given as a file: NAME_FILE instead of NAME holds the path.',
  ];
  const parts = [
    ...settings.filter(({ fallback }) => fallback === null),
    ...settings.filter(({ fallback }) => fallback !== null),
  ].map(settingLines);
  return `${[head.flatMap(comment), ...parts].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function settingLines({
  name,
  description,
  unit,
  fallback,
  range,
  isSecret,
  example,
}: SettingDescription): readonly string[] {
  const facts = [
    fallback === null ? 'Required.' : '',
    isSecret ? `Secret, or ${name}_FILE.` : '',
    range === null ? '' : `Values: ${range}.`,
    unit === null ? '' : `Unit: ${unit}.`,
    example === null ? '' : `Example: ${example}`,
  ].filter((fact) => fact !== '');
  const value = fallback === null || fallback === 'none' ? '' : fallback;
  return [
    ...comment(`${description.replaceAll('`', '')}.`),
    ...(facts.length === 0 ? [] : comment(facts.join(' '))),
    `${fallback === null ? '' : '#'}${name}=${value}`,
  ];
}

/** Lines of a comment, broken between words. */
function comment(text: string): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= LINE_CHARS) lines.push(`# ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
