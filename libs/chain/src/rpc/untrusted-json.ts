/** A field of a message that anyone may have written; undefined when it has none. */
export function fieldOf(message: unknown, name: string): unknown {
  return typeof message === 'object' && message !== null ? Reflect.get(message, name) : undefined;
}
