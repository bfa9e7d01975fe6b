/** A table whose rows its reader sorts and whose columns they choose; the view is the caller's to keep, in the address. */

import {
  type ColumnDef,
  createSortedRowModel,
  rowSortingFeature,
  type SortFn,
  tableFeatures,
  type Updater,
  useTable,
} from "@tanstack/react-table";
import { memo, type ReactNode, useDeferredValue, useMemo } from "react";
import { Pager, usePages } from "./pager";
import { type Direction, SortButton } from "./sort-button";
import { type Column, type Rows, Table } from "./table";
import { compared, shownOf, sortingOf, sortText, type TableView } from "./table-view";
import { WideTable } from "./wide-table";

export interface SortableColumn<T> extends Column<T> {
  readonly head: string;
  /** A head that only readers of the screen need. */
  readonly headHidden?: boolean;
  /** A second line of a head that is not sorted by. */
  readonly headBelow?: string;
  /** What rows are sorted by; null comes last, whichever way. A column without it is not sorted by. */
  readonly sort?: (row: T) => string | number | null;
  readonly descendingFirst?: boolean;
  /** It is shown whatever is chosen, as is the first. */
  readonly fixed?: boolean;
}

const FEATURES = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });
type Features = typeof FEATURES;
type SortingState = { id: string; desc: boolean }[];

const byValue: SortFn<Features, never> = (a, b, id) => compared(a.getValue(id), b.getValue(id));

interface SortableProps<T> extends Rows<T> {
  readonly columns: readonly SortableColumn<T>[];
  readonly rows: readonly T[];
  readonly view: TableView;
  readonly onView: (view: TableView) => void;
  /** Rows shown at most, after sorting. */
  readonly most?: number;
  /** Rows of a page, and what one is, "NF"; all are on one page without it. */
  readonly pages?: { readonly size: number; readonly one: string };
}

/** Many rows take longer to sort and draw than a press may wait: it is answered first, and the table follows. */
export function SortableTable<T extends object>(props: SortableProps<T>): ReactNode {
  return <Drawn {...useDeferredValue(props)} />;
}

const Drawn = memo(SortedTable) as typeof SortedTable;

function SortedTable<T extends object>(props: SortableProps<T>): ReactNode {
  const { columns, rows, view, onView, most = rows.length, pages: paged, ...table } = props;
  const now = sortingOf(view);
  const defs = useMemo(() => columns.map((column) => defOf(column)), [columns]);
  const sorting = now ? [{ id: now.key, desc: now.descending }] : [];
  const model = useTable({
    features: FEATURES,
    columns: defs,
    data: rows,
    state: { sorting },
    onSortingChange: (change: Updater<SortingState>) => {
      const [first] = typeof change === "function" ? change(sorting) : change;
      const { sort: _former, ...others } = view;
      onView(first ? { ...others, sort: sortText({ key: first.id, descending: first.desc }) } : others);
    },
  });
  const chosen = shownOf(view, columns);
  // Whoever chose columns sees them all: none goes first where the window is narrow.
  const shown = chosen?.map((column) => ({ ...column, secondRank: false, thirdRank: false })) ?? columns;
  const sorted = model.getRowModel().rows.slice(0, most);
  const pages = usePages(sorted, paged?.size ?? Math.max(1, sorted.length));
  return (
    <>
      <WideTable label={table.label}>
        <Table
          {...table}
          columns={shown.map((column) => ({
            ...column,
            ...(column.sort ? { sorted: direction(now, column.key) } : {}),
            head: column.sort ? (
              <SortButton
                text={column.head}
                direction={direction(now, column.key)}
                onPress={() => model.getColumn(column.key)?.toggleSorting()}
              />
            ) : (
              <Head of={column} />
            ),
          }))}
          rows={pages.shown.map(({ original }) => original)}
        />
      </WideTable>
      {paged && <Pager pages={pages} one={paged.one} />}
    </>
  );
}

function Head({ of }: { of: { head: string; headHidden?: boolean; headBelow?: string } }): ReactNode {
  const { head, headHidden, headBelow } = of;
  if (headBelow === undefined) return <span className={headHidden ? "hidden-text" : undefined}>{head}</span>;
  return (
    <span className="head-of-two">
      {head}
      <br />
      {headBelow}
    </span>
  );
}

function defOf<T extends object>(column: SortableColumn<T>): ColumnDef<Features, T> {
  const { key, sort, descendingFirst = false } = column;
  return {
    id: key,
    accessorFn: (row: T) => sort?.(row) ?? undefined,
    sortFn: byValue as unknown as SortFn<Features, T>,
    sortUndefined: "last",
    sortDescFirst: descendingFirst,
    enableSorting: sort !== undefined,
  };
}

function direction(now: ReturnType<typeof sortingOf>, key: string): Direction {
  if (now?.key !== key) return "none";
  return now.descending ? "descending" : "ascending";
}
