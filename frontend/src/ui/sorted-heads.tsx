/** Heads of a list that its server sorts, since it comes page by page. */

import { type Direction, SortButton } from "./sort-button";
import type { Column } from "./table";

/** A column of such a list; `S`: the ways that the server knows, "state" and "-state". */
export type ServerSorted<T, S extends string> =
  | (Column<T> & { readonly sorts?: never })
  | (Column<T> & {
      readonly head: string;
      /** The two ways to sort by it, that of the first press first. */
      readonly sorts: readonly [S, S];
    });

/** How a list is sorted, undefined for its own order, and what becomes of a press on a head. */
export interface Sorting<S extends string> {
  readonly sort: S | undefined;
  readonly onSort: (sort: S | undefined) => void;
}

/** The columns with heads to press: one way, the other way, and the list's own order. */
export function sortedHeads<T, S extends string>(
  columns: readonly ServerSorted<T, S>[],
  { sort, onSort }: Sorting<S>,
): Column<T>[] {
  return columns.map((all) => {
    if (!all.sorts) return all;
    const { sorts, head, ...column } = all;
    const way = directionOf(sort, sorts);
    const next = [...sorts, undefined][sort === undefined ? 0 : sorts.indexOf(sort) + 1];
    return { ...column, sorted: way, head: <SortButton text={head} direction={way} onPress={() => onSort(next)} /> };
  });
}

function directionOf(sort: string | undefined, sorts: readonly string[]): Direction {
  if (sort === undefined || !sorts.includes(sort)) return "none";
  return sort.startsWith("-") ? "descending" : "ascending";
}
