/** How somebody looks at a table, as an address holds it: sorted by which column, with which columns. Pure. */

export interface TableView {
  /** "p95", or "-p95" for the greatest first. */
  sort?: string;
  /** Keys of the columns shown, "name,state"; without it those that the width has room for. */
  columns?: string;
}

/** The columns of a table, as far as its view is concerned. */
export interface Viewed {
  readonly key: string;
  readonly sort?: unknown;
  readonly fixed?: boolean;
}

export interface Sorting {
  readonly key: string;
  readonly descending: boolean;
}

/** What of an address is a view of this table: a link may be old, or mistyped. */
export function tableView(raw: Record<string, unknown>, all: readonly Viewed[]): TableView {
  const sorting = sortingOf({ sort: typeof raw.sort === "string" ? raw.sort : "" });
  const sortable = all.some(({ key, sort }) => key === sorting?.key && sort !== undefined);
  const columns = typeof raw.columns === "string" ? columnsText(new Set(raw.columns.split(",")), all) : undefined;
  return { ...(sorting && sortable ? { sort: sortText(sorting) } : {}), ...(columns ? { columns } : {}) };
}

export function sortingOf({ sort }: TableView): Sorting | null {
  if (!sort) return null;
  const descending = sort.startsWith("-");
  return { key: descending ? sort.slice(1) : sort, descending };
}

export function sortText({ key, descending }: Sorting): string {
  return `${descending ? "-" : ""}${key}`;
}

/** The columns that were chosen, in the table's order; null where nobody chose. The first names the row: it stays. */
export function shownOf<C extends Viewed>({ columns }: TableView, all: readonly C[]): readonly C[] | null {
  if (!columns) return null;
  const chosen = new Set(columns.split(","));
  return all.filter((column, at) => stays(column, at) || chosen.has(column.key));
}

/** Undefined where none of them is a column. */
export function columnsText(chosen: ReadonlySet<string>, all: readonly Viewed[]): string | undefined {
  if (!all.some(({ key }) => chosen.has(key))) return undefined;
  return all
    .filter((column, at) => stays(column, at) || chosen.has(column.key))
    .map(({ key }) => key)
    .join(",");
}

function stays({ fixed }: Viewed, at: number): boolean {
  return at === 0 || fixed === true;
}

const collator = new Intl.Collator("en", { numeric: true });

/** By number, or by name with numbers in it by value (a2 before a10). */
export function compared(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}
