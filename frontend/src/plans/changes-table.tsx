/** What the plan does, NF by NF, each with its reason; a long list is paged and can be narrowed. */

import { Link } from "@tanstack/react-router";
import { memo, type ReactNode, useDeferredValue, useMemo, useState } from "react";
import type { Change } from "@/api/types";
import { resourceDifferences } from "@/capabilities/resources";
import { count, DASH, signed, thousands } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import type { Column } from "@/ui/table";

/** A page of changes: what a person reads at once, and what follows stays near. */
const PAGE = 25;

type Row = Change & { readonly number: number };

function columnsOf(linked: boolean): readonly Column<Row>[] {
  return [
    {
      key: "number",
      head: "Change",
      cell: ({ number, kind }) => <span className="nowrap">{`${number} ${kind}`}</span>,
    },
    {
      key: "nf",
      head: "NF of chain",
      cell: ({ nf_id, chain }) => (
        <>
          {nf_id.slice(chain.length + 1)}{" "}
          <span className="nowrap">
            <span className="t2">of</span>{" "}
            {linked ? (
              <Link to="/chains/$name" params={{ name: chain }}>
                {chain}
              </Link>
            ) : (
              chain
            )}
          </span>
        </>
      ),
    },
    {
      key: "where",
      head: "From → to",
      cell: (row) => (row.kind === "resources" ? <Given {...row} /> : <Moved {...row} />),
    },
    {
      key: "gain",
      head: (
        <>
          <Mark origin="predicted" />
          gain, Mpps
        </>
      ),
      align: "right",
      cell: (change) => <span title={aboutGain(change)}>{signed(gainOf(change).mpps)}</span>,
    },
    {
      key: "weighted",
      head: <span title={WEIGHTED}>value × Mpps</span>,
      align: "right",
      cell: (change) => (
        <span className="t2" title={gainOf(change).weighted === null ? aboutGain(change) : undefined}>
          {signed(gainOf(change).weighted)}
        </span>
      ),
    },
    { key: "reason", head: "Reason", cell: ({ reason }) => <span className="t2 change-reason">{reason}</span> },
  ];
}

/** What the column is, where it first stands. */
export const WEIGHTED =
  "Weighted gain: each chain's Mpps times the value that its operator gave it. The plan's score and the frontier count so; the rows add up to the frontier's gain at as many moves.";

/** Plans of an earlier version hold the weighted gain alone, under the other's name. */
export function gainOf(change: Pick<Change, "gain_mpps" | "weighted_gain">): {
  mpps: number | null;
  weighted: number | null;
} {
  const { gain_mpps: gain = null, weighted_gain: weighted } = change;
  return weighted == null ? { mpps: null, weighted: gain } : { mpps: gain, weighted };
}

function aboutGain(change: Change): string | undefined {
  const { mpps, weighted } = gainOf(change);
  if (mpps !== null) return "Additional throughput of all chains of the host by this move, after the moves above it.";
  if (weighted !== null) return "A plan of an earlier version: only value × Mpps is stored.";
  if (change.kind !== "move") return undefined;
  return `Not predictable: ${change.no_gain ?? "a plan of an earlier version does not say why"}.`;
}

function Moved({ source, target }: Change): ReactNode {
  return (
    <span className="nowrap">
      {seat(source)} → {seat(target)}
    </span>
  );
}

/** A resource a line; where it stands stays. */
function Given({ source, target }: Change): ReactNode {
  return (
    <>
      <span className="t2 nowrap">at {seat(target)}</span>
      {resourceDifferences(source, target).map(({ field, name, before, after }) => (
        <span key={field} className="block nowrap">
          {name} {before} → <b className="strong">{after}</b>
        </span>
      ))}
    </>
  );
}

const LINKED = columnsOf(true);
const PLAIN = columnsOf(false);

function seat(value: Change["source"]): string {
  return value ? `${value.host}/${value.node}/${value.core}` : DASH;
}

/** Rows whose host, chain or NF contains the text; numbers stay those of the plan. */
function matching(rows: readonly Row[], text: string): readonly Row[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return rows;
  return rows.filter(
    ({ nf_id, source, target }) =>
      nf_id.includes(wanted) || source?.host.includes(wanted) || target?.host.includes(wanted),
  );
}

/** `linked`: the chains are those of this fleet. The page around it is redrawn with every sample; this is not. */
export const ChangesTable = memo(function ChangesTable(props: {
  changes: readonly Change[];
  linked?: boolean;
}): ReactNode {
  const { changes, linked = true } = props;
  const [text, setText] = useState("");
  const find = useDeferredValue(text);
  const all = useMemo(() => changes.map((change, index) => ({ ...change, number: index + 1 })), [changes]);
  const rows = useMemo(() => matching(all, find), [all, find]);
  if (changes.length === 0) return <p className="section-body t2">None.</p>;
  return (
    <>
      {changes.length > PAGE && (
        <div className="narrow">
          <input
            className="input"
            type="search"
            aria-label="Show only changes whose host, chain or NF contains"
            placeholder="host, chain or NF"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="t2">
            {rows.length < changes.length && `${thousands(rows.length)} of ${count(changes.length, "change")} match`}
          </span>
        </div>
      )}
      {rows.length === 0 ? (
        <p className="section-body t2">No change's host, chain or NF contains that text.</p>
      ) : (
        <PagedTable
          label="Changes"
          columns={linked ? LINKED : PLAIN}
          rows={rows}
          rowKey={(row) => row.nf_id}
          size={PAGE}
          one="change"
        />
      )}
    </>
  );
});
