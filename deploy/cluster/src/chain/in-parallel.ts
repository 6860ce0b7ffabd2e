/** Runs one task for each item, at most `width` at once. Throws the first failure. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of waiting) await run(item);
    }),
  );
}
