/** One node's matrix as a table: arrow keys walk over its cells, and what is under them is described beside it. */

import { type KeyboardEvent, memo, type ReactNode, type SyntheticEvent, useRef } from "react";
import { figure } from "@/lib/format";
import { nfText } from "./causes";
import { type Column, type NodeMatrix, type Row, warmStep } from "./matrix";

export interface Spot {
  readonly row: Row;
  /** Key of a column; null: the NF as a whole. */
  readonly column: string | null;
}

const OTHER_HEADS = { chaining: "chaining", remote: "remote", background: "background", fixed: "fixed" } as const;

/** Hover and focus are reported to `onSpot`, which is stable: a hundred rows are not drawn anew for a moving mouse. */
export const MatrixTable = memo(function MatrixTable(props: {
  matrix: NodeMatrix;
  label: string;
  onSpot: (spot: Spot) => void;
}): ReactNode {
  const { matrix, label, onSpot } = props;
  const table = useRef<HTMLTableElement>(null);
  const reportSpot = (event: SyntheticEvent) => {
    const spot = spotOf(event.target, matrix);
    if (spot) onSpot(spot);
  };
  return (
    <table
      ref={table}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a grid is a table whose cells take the focus
      role="grid"
      className="matrix"
      aria-label={label}
      onMouseOver={reportSpot}
      onFocus={reportSpot}
      onKeyDown={(event) => walk(event, table.current)}
    >
      <thead>
        <tr>
          <th scope="col">NF that loses</th>
          {matrix.columns.map((column) => (
            <th key={column.key} scope="col" className={column.nf ? "tall" : "tall other"} title={headText(column)}>
              <span>{column.nf ? column.nf.split(".").reverse().join(" ") : headText(column)}</span>
            </th>
          ))}
          <th scope="col" className="sum">
            sum
          </th>
        </tr>
      </thead>
      <tbody>
        {matrix.rows.map((row, index) => (
          <MatrixRow key={row.victim.nf_id} row={row} columns={matrix.columns} index={index} />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">total</th>
          {matrix.columns.map((column) => (
            <td key={column.key}>{cellText(matrix.sums.get(column.key) ?? 0)}</td>
          ))}
          <td className="sum">{figure(matrix.total)}</td>
        </tr>
      </tfoot>
    </table>
  );
});

function MatrixRow({ row, columns, index }: { row: Row; columns: readonly Column[]; index: number }): ReactNode {
  const { victim } = row;
  return (
    <tr data-row={index}>
      <th scope="row" tabIndex={index === 0 ? 0 : -1}>
        {victim.nf_id.slice(victim.chain.length + 1)} <span className="t3">{victim.chain}</span>
        {victim.is_bottleneck && (
          <span
            className="limits"
            title={`The model predicts this NF as the bottleneck of ${victim.chain}; measurements may differ`}
          >
            predicted slowest
          </span>
        )}
      </th>
      {columns.map((column) => {
        if (column.nf === victim.nf_id) {
          return (
            <td key={column.key} className="self" tabIndex={-1}>
              <span className="hidden-text">itself</span>
            </td>
          );
        }
        const lost = row.causes.get(column.key)?.lost_mpps ?? 0;
        return (
          <td key={column.key} data-column={column.key} className={`warm-${warmStep(lost)}`} tabIndex={-1}>
            {cellText(lost)}
          </td>
        );
      })}
      <td className="sum" tabIndex={-1}>
        {figure(row.lost)}
      </td>
    </tr>
  );
}

function headText(column: Column): string {
  return column.nf ? nfText(column.nf) : OTHER_HEADS[column.kind as keyof typeof OTHER_HEADS];
}

/** What is too little for a figure is a dot; nothing is nothing. */
function cellText(lost: number): string {
  if (lost === 0) return "";
  if (Math.abs(lost) < 0.005) return "·";
  return `${lost < 0 ? "−" : ""}${Math.abs(lost).toFixed(Math.abs(lost) < 0.995 ? 2 : 1)}`;
}

function spotOf(target: EventTarget, matrix: NodeMatrix): Spot | null {
  const cell = target instanceof Element ? target.closest("tbody td, tbody th") : null;
  const row = matrix.rows[Number(cell?.closest("tr")?.dataset.row)];
  return cell && row ? { row, column: (cell as HTMLElement).dataset.column ?? null } : null;
}

const STEPS: Record<string, readonly [number, number]> = {
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
};

/** Moves the focus, and with it the one cell that Tab comes back to. */
function walk(event: KeyboardEvent, table: HTMLTableElement | null): void {
  const cell = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("tbody td, tbody th") : null;
  const rows = [...(table?.querySelectorAll("tbody tr") ?? [])];
  const row = cell?.parentElement;
  if (!cell || !row) return;
  const [down, right] = STEPS[event.key] ?? [0, 0];
  let column = [...row.children].indexOf(cell) + right;
  if (event.key === "Home") column = 0;
  else if (event.key === "End") column = row.children.length - 1;
  else if (!STEPS[event.key]) return;
  const next = rows[rows.indexOf(row) + down]?.children[column];
  event.preventDefault();
  if (!(next instanceof HTMLElement) || next === cell) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
