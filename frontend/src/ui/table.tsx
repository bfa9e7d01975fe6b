/** A table from static columns, so that every table of the console is declared and looks alike. */

import type { ReactNode } from "react";

export interface Column<T> {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (row: T) => ReactNode;
  readonly align?: "right";
  /** Goes first when the window is narrow. */
  readonly secondRank?: boolean;
  /** Which way the rows are sorted by it; undefined where nobody can. */
  readonly sorted?: "ascending" | "descending" | "none";
}

export function Table<T>(props: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
}): ReactNode {
  const classes = (column: Column<T>) =>
    [column.align === "right" ? "num" : "", column.secondRank ? "second-rank" : ""].join(" ").trim() || undefined;
  return (
    <table aria-label={props.label}>
      <thead>
        <tr>
          {props.columns.map((column) => (
            <th key={column.key} scope="col" className={classes(column)} aria-sort={column.sorted}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={props.rowKey(row)}>
            {props.columns.map((column) => (
              <td key={column.key} className={classes(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
