import { NODE_VERSION } from './node-version.ts';

/** A value with the slot of the state that it was read from. */
export function withContext({ slot }: { readonly slot: number }, value: unknown): object {
  return { context: { apiVersion: NODE_VERSION, slot }, value };
}
