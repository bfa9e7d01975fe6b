/** The chains on this host: what is offered, what comes through, how late; one of them in full below. */

import type { ReactNode } from "react";
import type { ChainView } from "@/api/types";
import { LatencyVerdict, ThroughputVerdict } from "@/chains/verdict";
import { Difference, Predicted } from "@/fleet/prediction-cells";
import { figure, latency } from "@/lib/format";
import { chainLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { PagedTable } from "@/ui/pager";
import type { Column } from "@/ui/table";
import { ChainDetail } from "./chain-detail";
import { ChainName } from "./chain-tag";
import { crossingsOf } from "./tracks";
import type { HostData } from "./use-host";

const PAGE = 25;

export function ChainsOnHost(props: {
  data: HostData;
  /** Shown in full; the first where none is chosen. */
  chosen: string | undefined;
  onChoose: (chain: string) => void;
}): ReactNode {
  const { data, chosen, onChoose } = props;
  const shown = data.chains.find(({ spec }) => spec.name === chosen) ?? data.chains[0];
  if (!shown) return null;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className="wide-table" aria-label="Chains, scrolls sideways" tabIndex={0}>
        <PagedTable
          label={`Chains on ${data.host.host_id}`}
          columns={columnsOf(data, shown.spec.name, onChoose)}
          rows={data.chains}
          rowKey={({ spec }) => spec.name}
          size={PAGE}
          one="chain"
        />
      </section>
      <ChainDetail key={shown.spec.name} chain={shown} data={data} />
    </>
  );
}

function columnsOf(data: HostData, shown: string, choose: (chain: string) => void): readonly Column<ChainView>[] {
  const nfs = (chain: ChainView) => data.nfs.filter((nf) => nf.chain === chain.spec.name);
  const standing = (chain: string) => data.model.forecast?.chains.get(chain) ?? null;
  return [
    { key: "chain", head: "Chain", cell: ({ spec }) => <ChainName chain={spec.name} letters={data.letters} /> },
    {
      key: "path",
      head: "Path, NF at core",
      cell: (chain) => <span className="t2 nowrap">{pathText(chain, data)}</span>,
    },
    { key: "crossings", head: "Crossings", align: "right", cell: (chain) => crossingsOf(nfs(chain)) },
    {
      key: "offered",
      head: "Offered, Mpps",
      align: "right",
      cell: ({ sample }) => <F>{figure(sample?.offered_mpps)}</F>,
    },
    {
      key: "delivered",
      head: "Delivered, Mpps",
      align: "right",
      cell: ({ sample }) => (
        <F>
          <b className="strong">{figure(sample?.delivered_mpps)}</b>
        </F>
      ),
    },
    {
      key: "predicted",
      head: "Predicted, Mpps",
      align: "right",
      cell: ({ spec }) => <Predicted standing={standing(spec.name)} />,
    },
    {
      key: "difference",
      head: "Difference, %",
      align: "right",
      cell: ({ spec }) => <Difference standing={standing(spec.name)} />,
    },
    { key: "gbps", head: "Gbps", align: "right", cell: ({ sample }) => <F>{figure(sample?.delivered_gbps)}</F> },
    { key: "drops", head: "Drops, Mpps", align: "right", cell: ({ sample }) => <F>{figure(sample?.drop_mpps)}</F> },
    { key: "p50", head: "p50", align: "right", cell: ({ sample }) => <F>{latency(sample?.p50_us)}</F> },
    { key: "p95", head: "p95", align: "right", cell: ({ sample }) => <F>{latency(sample?.p95_us)}</F> },
    { key: "p99", head: "p99", align: "right", cell: ({ sample }) => <F>{latency(sample?.p99_us)}</F> },
    { key: "p999", head: "p99.9", align: "right", cell: ({ sample }) => <F>{latency(sample?.p999_us)}</F> },
    { key: "slo", head: "Objectives", cell: (chain) => <Objectives chain={chain} /> },
    {
      key: "show",
      head: <span className="hidden-text">Details</span>,
      cell: ({ spec }) => (
        <button
          type="button"
          className="btn small"
          aria-pressed={spec.name === shown}
          aria-label={`Details of ${spec.name}`}
          onClick={() => choose(spec.name)}
        >
          {spec.name === shown ? "Shown" : "Details"}
        </button>
      ),
    },
  ];
}

/** "router 1 → firewall 1"; a double arrow where packets change node; what runs elsewhere is only counted. */
export function pathText(chain: ChainView, { nfs, host }: Pick<HostData, "nfs" | "host">): string {
  const own = nfs.filter((nf) => nf.chain === chain.spec.name).sort((a, b) => a.position - b.position);
  const parts = own.map((nf, index) => {
    const before = own[index - 1];
    const arrow = !before ? "" : before.seat.node === nf.seat.node ? " → " : " ⇉ ";
    return `${arrow}${nf.nf_id.slice(nf.chain.length + 1)} ${nf.seat.core}`;
  });
  const elsewhere = chain.placement.filter(({ seat }) => seat.host !== host.host_id).length;
  return `${parts.join("")}${elsewhere > 0 ? `, ${elsewhere} elsewhere` : ""}` || "not placed";
}

function Objectives({ chain }: { chain: ChainView }): ReactNode {
  if (chain.state !== "running" || chain.spec.paused) return <StateText look={chainLook(chain)} />;
  if (chain.throughput_slo === null && chain.latency_slo === null) return <span className="t3">none</span>;
  return (
    <span className="objectives">
      {chain.throughput_slo !== null && <ThroughputVerdict chain={chain} />}
      {chain.latency_slo !== null && <LatencyVerdict chain={chain} />}
    </span>
  );
}

function F({ children }: { children: ReactNode }): ReactNode {
  return <span className="figure nowrap">{children}</span>;
}
