/** Pages of a long list: nothing is hidden without saying how much there is. */

import { type ReactNode, useState } from "react";
import { count } from "@/lib/format";
import { Button } from "./button";
import { type Column, Table } from "./table";

export interface Pages<T> {
  readonly shown: readonly T[];
  /** Index of the first row shown. */
  readonly from: number;
  readonly total: number;
  readonly size: number;
  readonly go: (from: number) => void;
}

/** The rows of the page that is open; a list that grew shorter shows its last page. */
export function usePages<T>(rows: readonly T[], size: number): Pages<T> {
  const [wanted, go] = useState(0);
  const last = Math.max(0, Math.floor((rows.length - 1) / size) * size);
  const from = Math.min(wanted, last);
  return { shown: rows.slice(from, from + size), from, total: rows.length, size, go };
}

/** "1–50 of 15 000 changes" and the ways to the others; nothing where all are shown. */
export function Pager<T>(props: { pages: Pages<T>; one: string; many?: string; label?: string }): ReactNode {
  const { pages, one, many, label = many ?? `${one}s` } = props;
  const { from, total, size, shown, go } = pages;
  if (total <= size) return null;
  const last = Math.floor((total - 1) / size) * size;
  return (
    <nav className="pager" aria-label={`Pages of ${label}`}>
      <span role="status">
        {from + 1}–{from + shown.length} of {count(total, one, many)}
      </span>
      <span className="end">
        <Button small onClick={() => go(0)} reason={from === 0 ? "These are the first." : null}>
          First
        </Button>
        <Button small onClick={() => go(from - size)} reason={from === 0 ? "These are the first." : null}>
          Previous
        </Button>
        <Button small onClick={() => go(from + size)} reason={from === last ? "These are the last." : null}>
          Next
        </Button>
        <Button small onClick={() => go(last)} reason={from === last ? "These are the last." : null}>
          Last
        </Button>
      </span>
    </nav>
  );
}

export function PagedTable<T>(props: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  size: number;
  /** What a row is: "change". */
  one: string;
  /** What it is pages of, where the name of a row would not distinguish it from another table of the page. */
  pagesOf?: string;
}): ReactNode {
  const pages = usePages(props.rows, props.size);
  return (
    <>
      <Table label={props.label} columns={props.columns} rows={pages.shown} rowKey={props.rowKey} />
      <Pager pages={pages} one={props.one} {...(props.pagesOf ? { label: props.pagesOf } : {})} />
    </>
  );
}
