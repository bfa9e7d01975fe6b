/** Heads of a list that its server sorts, since it comes page by page. */

import { type Direction, SortButton } from "./sort-button";
import type { Column } from "./table";

/** A column of such a list; `S`: the ways that the server knows, "state" and "-state". */
export interface ServerSorted<T, S extends string> extends Column<T> {
  readonly head: string;
  /** The two ways to sort by it, that of the first press first. */
  readonly sorts?: readonly [S, S];
}

/** The columns with heads to press: one way, the other way, and the list's own order. */
export function sortedHeads<T, S extends string>(
  columns: readonly ServerSorted<T, S>[],
  sort: S | undefined,
  onSort: (sort: S | undefined) => void,
): Column<T>[] {
  return columns.map(({ sorts, ...column }) => {
    if (!sorts) return column;
    const way = directionOf(sort, sorts);
    const next = [...sorts, undefined][sort === undefined ? 0 : sorts.indexOf(sort) + 1];
    return {
      ...column,
      sorted: way,
      head: <SortButton text={column.head} direction={way} onPress={() => onSort(next)} />,
    };
  });
}

function directionOf(sort: string | undefined, sorts: readonly string[]): Direction {
  if (sort === undefined || !sorts.includes(sort)) return "none";
  return sort.startsWith("-") ? "descending" : "ascending";
}
