/** A table from static columns, so that every table of the console is declared and looks alike. */

import { Fragment, type ReactNode } from "react";

export interface Column<T> {
  readonly key: string;
  readonly head: ReactNode;
  /** What the head means, where that is not plain. */
  readonly title?: string;
  readonly cell: (row: T) => ReactNode;
  readonly align?: "right";
  /** Goes first when the window is narrow. */
  readonly secondRank?: boolean;
  /** Goes even before those of second rank, where a table has more columns than a wide window. */
  readonly thirdRank?: boolean;
  /** It heads its row. */
  readonly rowHead?: boolean;
  readonly className?: string | ((row: T) => string);
  /** Which way the rows are sorted by it; undefined where nobody can. */
  readonly sorted?: "ascending" | "descending" | "none";
}

export interface Rows<T> {
  readonly label: string;
  readonly rowKey: (row: T) => string | number;
  readonly className?: string;
  readonly rowClass?: (row: T) => string;
  /** Stands below the row, over all columns; null for nothing. */
  readonly note?: (row: T) => ReactNode;
}

export function Table<T>(props: Rows<T> & { columns: readonly Column<T>[]; rows: readonly T[] }): ReactNode {
  const { columns, note } = props;
  return (
    <table aria-label={props.label} className={props.className}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.key} scope="col" className={classes(column)} title={column.title} aria-sort={column.sorted}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => {
          const below = note?.(row);
          return (
            <Fragment key={props.rowKey(row)}>
              <tr className={props.rowClass?.(row) || undefined}>
                {columns.map((column) => (
                  <Cell key={column.key} column={column} row={row} />
                ))}
              </tr>
              {below && (
                <tr className="note">
                  <td colSpan={columns.length}>{below}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

function Cell<T>({ column, row }: { column: Column<T>; row: T }): ReactNode {
  const { className, cell } = column;
  const own = classes(column, typeof className === "function" ? className(row) : className);
  if (column.rowHead) {
    return (
      <th scope="row" className={own}>
        {cell(row)}
      </th>
    );
  }
  return <td className={own}>{cell(row)}</td>;
}

function classes<T>({ align, secondRank, thirdRank }: Column<T>, own = ""): string | undefined {
  const ranks = [secondRank ? "second-rank" : "", thirdRank ? "third-rank" : ""];
  return [align === "right" ? "num" : "", ...ranks, own].filter(Boolean).join(" ") || undefined;
}
