/** The heat map as a table: every core and slot, one a row, host by host or as the reader sorts them. Only rows in sight are
 * in the document. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import type { HostView, NfSample } from "@/api/types";
import { missPercent, nodeOf, reportsMemory } from "@/interference/counters";
import { DASH, figure, percent } from "@/lib/format";
import { useLive } from "@/live/store";
import { nfLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Mark, Shape } from "@/ui/marks";
import { SortButton } from "@/ui/sort-button";
import { type StandsWith, standTogether, togetherWords } from "./anti-affinity";
import { CpuFigure } from "./cpu";
import { directionOf, HEADS, nextSort, type Row, rowsOf, sampleOf, sortedRows } from "./fleet-rows";
import { lossPercent } from "./layers";
import type { HostModel, Unit } from "./model";
import { otherText } from "./other-work";
import { Predicted, UnitDifference } from "./prediction-cells";
import { seatKey } from "./seat";
import { utilisedText } from "./utilisation";

/** A button of 24 pixels, the padding above and below it, and the line under the row. */
const ROW = 29;
const SPARE = 12;

export function FleetTable(props: {
  models: readonly HostModel[];
  onPin: (seat: string) => void;
  /** "-cpu"; undefined: host by host, core by core. */
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}): ReactNode {
  const { models, sort, onSort } = props;
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const rows = useMemo(() => sortedRows(rowsOf(models), sort), [models, sort]);
  const chains = useLive((state) => state.chains);
  const together = useMemo(() => standTogether(chains.values()), [chains]);
  const counted = models.some(({ host }) => reportsMemory(host));
  const predicted = models.some(({ forecast }) => forecast !== undefined);
  const heads = HEADS.filter(({ of }) => of === undefined || (of === "counted" ? counted : predicted));
  const columns = heads.length;
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + SPARE);
  return (
    <section
      className="twin"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
      tabIndex={0}
      aria-label="Fleet as a table"
      ref={(element) => {
        if (element && element.clientHeight !== height && element.clientHeight > 0) setHeight(element.clientHeight);
      }}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <table aria-label="Every core and slot" aria-rowcount={rows.length + 1} data-testid="fleet-table">
        <thead>
          <Heads heads={heads} sort={sort} onSort={onSort} />
        </thead>
        <tbody>
          {first > 0 && <Spacer rows={first} columns={columns} />}
          {rows.slice(first, last).map((row, index) => (
            <TwinRow
              key={seatKey(row.unit)}
              row={row}
              index={first + index + 2}
              counted={counted}
              predicted={predicted}
              together={row.unit.nf ? together.get(row.unit.nf.chain) : undefined}
              onPin={props.onPin}
            />
          ))}
          {last < rows.length && <Spacer rows={rows.length - last} columns={columns} />}
        </tbody>
      </table>
    </section>
  );
}

function Heads(props: {
  heads: typeof HEADS;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}): ReactNode {
  const { heads, sort, onSort } = props;
  return (
    <tr>
      {heads.map((head) => {
        const way = directionOf(sort, head.key);
        return (
          <th key={head.key} scope="col" className={head.num ? "num" : undefined} title={head.title} aria-sort={way}>
            <SortButton text={head.head} direction={way} onPress={() => onSort(nextSort(sort, head))} />
          </th>
        );
      })}
    </tr>
  );
}

function Counted({
  sample,
  host,
  node,
  aged,
}: {
  sample: NfSample | null;
  host: HostView;
  node: number;
  aged: string;
}) {
  const nodeSample = sample ? nodeOf(host, node) : null;
  return [sample ? missPercent(sample) : null, nodeSample?.memory_load_percent, nodeSample?.link_load_percent].map(
    (value, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: three columns, always the same
      <td key={index} className={`num ${aged}`}>
        {percent(value)}
      </td>
    ),
  );
}

function Spacer({ rows, columns }: { rows: number; columns: number }): ReactNode {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: rows * ROW, padding: 0, border: 0 }} />
    </tr>
  );
}

function TwinRow(props: {
  row: Row;
  index: number;
  counted: boolean;
  predicted: boolean;
  /** Whom its chain stands with and must not. */
  together: readonly StandsWith[] | undefined;
  onPin: (seat: string) => void;
}): ReactNode {
  const { row, index, counted, predicted, together, onPin } = props;
  const { unit, model } = row;
  const sample = sampleOf(row);
  const aged = model.host.status === "up" ? "" : "t3";
  const shared = (unit.core.slots ?? 1) > 1;
  return (
    <tr className={unit.limits ? "limits" : undefined} style={{ height: ROW }} aria-rowindex={index}>
      <td>
        <Link to="/hosts/$id" params={{ id: unit.host }}>
          {unit.host}
        </Link>
        /
        <button
          type="button"
          className="link"
          aria-label={`Pin ${unit.host}/${unit.node}/${unit.core.id}`}
          onClick={() => onPin(seatKey(unit))}
        >
          {unit.node}/{unit.core.id}
        </button>
      </td>
      <td className="num">{shared ? `${unit.slot + 1} of ${unit.core.slots}` : DASH}</td>
      <td title={unit.nf?.nf_id.split(".")[1]}>
        {unit.nf ? unit.nf.nf_id.split(".")[1] : <span className="t3">{emptyName(unit)}</span>}
      </td>
      <td title={unit.nf?.chain}>
        {unit.nf ? (
          <Link to="/chains/$name" params={{ name: unit.nf.chain }}>
            {unit.nf.chain}
          </Link>
        ) : (
          ""
        )}
      </td>
      <td className={`num ${aged}`}>
        {sample ? <Mark origin={model.host.provenance} /> : null}
        {unit.nf ? utilisedText(sample) : ""}
      </td>
      <td className={`num ${aged}`}>{unit.nf ? figure(sample?.headroom_mpps) : ""}</td>
      <td className={`num ${aged}`}>{unit.nf ? <CpuFigure sample={sample} /> : ""}</td>
      <td className={`num ${aged}`}>{unit.nf ? figure(sample?.tx_mpps) : ""}</td>
      <td className={`num ${aged}`}>{unit.nf ? (sample ? percent(lossPercent(sample)) : DASH) : ""}</td>
      {counted &&
        (unit.nf ? (
          <Counted sample={sample ?? null} host={model.host} node={unit.node} aged={aged} />
        ) : (
          <td colSpan={3} />
        ))}
      {predicted && (
        <>
          <td className="num">{unit.nf && <Predicted standing={unit.standing} />}</td>
          <td className="num">
            <UnitDifference unit={unit} />
          </td>
        </>
      )}
      <td>
        <UnitState unit={unit} model={model} together={together} />
      </td>
    </tr>
  );
}

/** Rows are of one height: how much other work there is stands with the state. */
function emptyName({ kind, core }: Unit): string {
  return kind === "other" ? "no NF" : (core.reserved_for ?? "free");
}

function UnitState(props: { unit: Unit; model: HostModel; together: readonly StandsWith[] | undefined }): ReactNode {
  const { unit, model, together } = props;
  if (model.host.status !== "up") {
    return (
      <span className="warn">
        <Shape name={model.host.status === "stale" ? "stale" : "cross"} />
        {model.host.status}
      </span>
    );
  }
  if (unit.limits) {
    return (
      <span className="bad">
        <Shape name="bad" />
        limits a violated chain
      </span>
    );
  }
  if (together) {
    return (
      <span className="bad">
        <Shape name="bad" />
        {togetherWords(together)}
      </span>
    );
  }
  if (unit.kind === "other") return otherText(unit.other ?? 0);
  if (unit.kind === "free" && model.host.cordon) return <span className="warn">cordoned</span>;
  return unit.nf ? <StateText look={nfLook(unit.nf)} /> : "";
}
