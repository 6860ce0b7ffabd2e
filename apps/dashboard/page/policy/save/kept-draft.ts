import { z } from 'zod';
import type { PolicyDraft } from '../policy-draft.ts';

const draft = z.object({
  entries: z.array(z.object({ id: z.number(), pattern: z.string(), maxPerCall: z.string() })),
  hours: z
    .object({ from: z.string(), until: z.string(), days: z.number(), timezone: z.string() })
    .nullable(),
});

const keyOf = (owner: string): string => `agent-wallet:policy-draft:${owner}`;

/** The unsaved rules of an owner from earlier in this tab; null without any. */
export function readDraft(owner: string): PolicyDraft | null {
  const text = sessionStorage.getItem(keyOf(owner));
  if (text === null) return null;
  const found = draft.safeParse(JSON.parse(text));
  return found.success ? found.data : null;
}

export const keepDraft = (owner: string, kept: PolicyDraft): void =>
  sessionStorage.setItem(keyOf(owner), JSON.stringify(kept));

export const forgetDraft = (owner: string): void => sessionStorage.removeItem(keyOf(owner));
