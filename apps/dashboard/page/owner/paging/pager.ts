/** The next items of a list, and whether there are more after them. */
export type NextItems<Item> = { readonly items: readonly Item[]; readonly hasMore: boolean };

/**
 * Reads a list of the SDK some items at a time: a page of the API is requested when its first item
 * is needed. One item more than asked for is read, so that `hasMore` is known.
 */
export function createPager<Item>(list: AsyncIterable<Item>) {
  const iterator = list[Symbol.asyncIterator]();
  let ahead: IteratorResult<Item> | null = null;
  return async (count: number): Promise<NextItems<Item>> => {
    const items: Item[] = [];
    let next = ahead ?? (await iterator.next());
    while (next.done !== true && items.length < count) {
      items.push(next.value);
      next = await iterator.next();
    }
    ahead = next;
    return { items, hasMore: next.done !== true };
  };
}
