/** The items of a list, page by page; each page is read when its first item is asked for. */
export async function* readPages<Item>(
  readPage: (cursor: string | undefined) => Promise<{
    readonly items: readonly Item[];
    readonly next_cursor: string | null;
  }>,
): AsyncGenerator<Item> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await readPage(cursor);
    yield* page.items;
    cursor = page.next_cursor;
  }
}
