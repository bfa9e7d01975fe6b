/** NFs on shared cores with their figures: the same as the bars, to be read and compared. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SharingHost, SharingNf } from "@/api/types";
import { type Column, Table } from "@/ui/table";
import { costText, fittedText, inflationText, partText, shareText } from "./words";

interface Row {
  readonly core: number;
  readonly nf: SharingNf;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "nf",
    head: "NF",
    rowHead: true,
    cell: ({ nf }) => (
      <Link className="nowrap" to="/chains/$name" params={{ name: nf.chain }}>
        {nf.nf_id}
      </Link>
    ),
  },
  { key: "core", head: "Core", align: "right", cell: ({ core }) => core },
  { key: "type", head: "Type", secondRank: true, cell: ({ nf }) => nf.nf_type },
  { key: "load", head: "Load", title: "Of its core’s time", align: "right", cell: ({ nf }) => partText(nf.load) },
  {
    key: "cost",
    head: "µs a packet",
    title: "Of its core’s time, in the newest second",
    align: "right",
    cell: ({ nf }) => costText(nf.cost_us),
  },
  {
    key: "alone",
    head: "Alone, µs",
    title: "By the promoted model of its type on this host model; a dash where none fits its version and configuration",
    align: "right",
    cell: ({ nf }) => costText(nf.alone_us),
  },
  {
    key: "expected",
    head: "Fitted, µs",
    title:
      "What a packet should take beside these others at these rates, by the costs that were fitted on this host; in brackets what nine of ten take, by how far off the fit is",
    align: "right",
    cell: ({ nf }) => (
      <span className="nowrap">
        {fittedText(nf)}
        {nf.expected_guessed && (
          <span className="t3" title="Costs were not fitted for its type: the upper quartile of those that were counts">
            {" "}
            guess
          </span>
        )}
      </span>
    ),
  },
  {
    key: "inflation",
    head: "Inflation",
    title: "What a packet costs more beside others than alone",
    align: "right",
    cell: ({ nf }) => inflationText(nf),
  },
  {
    key: "share",
    head: "CPU share",
    title: "Of its core, whenever all want it",
    align: "right",
    cell: ({ nf }) => shareText(nf),
  },
];

export function NfsTable({ host }: { host: SharingHost }): ReactNode {
  const rows = host.cores.flatMap(({ core, nfs }) => nfs.map((nf): Row => ({ core, nf })));
  return <Table label="NFs on shared cores" columns={COLUMNS} rows={rows} rowKey={({ nf }) => nf.nf_id} />;
}
