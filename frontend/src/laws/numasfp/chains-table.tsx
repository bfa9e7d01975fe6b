/** Every chain of a host as the law sees it: rate, what it was given, within which bounds, how long it falls short. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { NumasfpChain, NumasfpHost } from "@/api/types";
import { DASH, figure } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { type SortableColumn, SortableTable } from "@/ui/sortable-table";
import type { TableView } from "@/ui/table-view";
import { controlText } from "./allocation/words";
import { ViolationPips } from "./pips";
import { boundsText, givenText, MAX_LIMIT, sideText } from "./words";

const PAGE = 25;

export const CHAIN_COLUMNS: readonly SortableColumn<NumasfpChain>[] = [
  {
    key: "chain",
    head: "Chain",
    rowHead: true,
    sort: ({ chain }) => chain,
    cell: ({ chain }) => (
      <Link className="nowrap" to="/chains/$name" params={{ name: chain }}>
        {chain}
      </Link>
    ),
  },
  {
    key: "node",
    head: "Node",
    sort: ({ node }) => node,
    cell: (chain) => (chain.node === null ? "several" : `${chain.node}${sideNote(chain)}`),
  },
  {
    key: "violations",
    head: "Below 99 %",
    title: "Seconds running in which it carried less than 99 % of what it is offered",
    sort: ({ violations }) => violations,
    descendingFirst: true,
    cell: ({ violations }) => <ViolationPips seconds={violations} limit={MAX_LIMIT} />,
  },
  {
    key: "rate",
    head: "Offered, Gbps",
    align: "right",
    sort: ({ rate_gbps }) => rate_gbps,
    descendingFirst: true,
    cell: ({ rate_gbps }) => figure(rate_gbps),
  },
  {
    key: "forecast",
    head: "Forecast, Gbps",
    align: "right",
    secondRank: true,
    sort: ({ forecast_gbps }) => forecast_gbps,
    descendingFirst: true,
    cell: ({ forecast_gbps }) => figure(forecast_gbps),
  },
  {
    key: "carried",
    head: "Carried, Gbps",
    align: "right",
    sort: ({ carried_gbps }) => carried_gbps,
    descendingFirst: true,
    cell: ({ carried_gbps }) => <b className="strong">{figure(carried_gbps)}</b>,
  },
  { key: "given", head: "Has", sort: ({ llc_ways }) => llc_ways, descendingFirst: true, cell: givenText },
  {
    key: "bounds",
    head: "Bounds",
    title: "Within which its host’s agent sets ways and bandwidth by itself",
    cell: (chain) => boundsText(chain) ?? <span className="t3">{DASH}</span>,
  },
  {
    key: "control",
    head: "Agent",
    className: "sentence",
    secondRank: true,
    cell: (chain) => <span className="t2">{controlText(chain)}</span>,
  },
];

function sideNote(chain: NumasfpChain): string {
  const side = sideText(chain);
  return side === null ? "" : `, ${side}`;
}

export function ChainsOfLaw({ host }: { host: NumasfpHost }): ReactNode {
  const [view, setView] = useState<TableView>({ sort: "-violations" });
  return (
    <>
      {host.provenance && (
        <p className="section-body t3">
          <Mark origin={host.provenance} />
          rates are {host.provenance}
        </p>
      )}
      <SortableTable
        label={`Chains of ${host.host} in NUMASFP’s law`}
        columns={CHAIN_COLUMNS}
        rows={host.chains}
        rowKey={({ chain }) => chain}
        view={view}
        onView={setView}
        pages={{ size: PAGE, one: "chain" }}
      />
    </>
  );
}
