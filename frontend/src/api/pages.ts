/** Lists that are wanted whole, however many answers they come in. */

export interface Page<T> {
  items: T[];
  next: string | null;
}

/** More answers of 200 than any list has that a page shows whole. */
const MOST_PAGES = 25;
export const WHOLE = 200;

/** All items of a list, asked for page by page. `next` is null, or where it was left off. */
export async function everyPage<T>(ask: (after: { after?: string }) => Promise<Page<T>>): Promise<Page<T>> {
  const items: T[] = [];
  let next: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found: Page<T> = await ask(next === null ? {} : { after: next });
    items.push(...found.items);
    next = found.next;
    if (next === null) break;
  }
  return { items, next };
}
