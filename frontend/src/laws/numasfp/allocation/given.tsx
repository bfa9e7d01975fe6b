/** What a host's agent gives chains by the law: ways and bandwidth now, the bounds of its order, and who gave up what. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { NUMASFP, numasfpHostQuery } from "@/api/numasfp-queries";
import type { HostView, NumasfpChain, NumasfpHost, WayTransfer } from "@/api/types";
import { ageOrTime, count, DASH } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Mark } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";
import { TransfersTable } from "./transfers-table";
import { controlText, lastTransfer, rateText, transfersOf, transferText } from "./words";

/** Beside much else on a page: not for each second. */
const EVERY_MS = 4_000;

/** Null where no chain of the host was handed over to the law, and until its state is read. */
export function useGiven(host: HostView): NumasfpHost | null {
  const handed = (host.controls ?? []).some(({ law }) => law === NUMASFP);
  const { data } = useQuery({ ...numasfpHostQuery(host.host_id), refetchInterval: EVERY_MS, enabled: handed });
  return handed ? (data ?? null) : null;
}

interface Row {
  readonly chain: NumasfpChain;
  /** Of its node that can be given. */
  readonly ways: number | null;
  readonly last: WayTransfer | null;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "chain",
    head: "Chain",
    rowHead: true,
    cell: ({ chain: { chain } }) => (
      <Link className="nowrap" to="/chains/$name" params={{ name: chain }}>
        {chain}
      </Link>
    ),
  },
  {
    key: "ways",
    head: "LLC ways",
    title: "What it has now, and from where to where the agent may set it by itself",
    cell: ({ chain: { llc_ways, bounds }, ways }) => (
      <Gauge now={llc_ways} least={bounds?.least_ways} most={bounds?.most_ways} of={ways} unit="" />
    ),
  },
  {
    key: "bandwidth",
    head: "Memory bandwidth",
    title: "What it has now, and from where to where the agent may set it by itself",
    cell: ({ chain: { memory_bandwidth_percent, bounds } }) => (
      <Gauge
        now={memory_bandwidth_percent}
        least={bounds?.least_percent}
        most={bounds?.most_percent}
        of={100}
        unit=" %"
      />
    ),
  },
  { key: "rate", head: "Carries", secondRank: true, cell: ({ chain }) => rateText(chain) },
  {
    key: "state",
    head: "Agent",
    className: "sentence",
    cell: ({ chain }) => <span className="t2">{controlText(chain)}</span>,
  },
  {
    key: "last",
    head: "Last handed",
    className: "sentence",
    secondRank: true,
    cell: ({ last }) => <Last transfer={last} />,
  },
];

/** `chain`: that one only. */
export function GivenByAgent({ law, chain: only }: { law: NumasfpHost; chain?: string }): ReactNode {
  const rows = law.chains
    .filter(({ chain, bounds }) => bounds !== null && (only === undefined || chain === only))
    .map((chain): Row => {
      const ways = law.nodes.find(({ node }) => node === chain.node)?.ways ?? null;
      return { chain, ways, last: lastTransfer(law.transfers, chain.chain) };
    });
  if (rows.length === 0) return null;
  const transfers = only === undefined ? law.transfers : transfersOf(law.transfers, only);
  return (
    <div className="given-by-agent">
      <p className="t2">
        Set by the host’s agent each second, within the bounds of its order, by the law{" "}
        <Link to="/automation" search={{ tab: "numasfp", host: law.host }}>
          NUMASFP
        </Link>
        {law.provenance && (
          <>
            . Rates: <Mark origin={law.provenance} />
            {law.provenance}
          </>
        )}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className="wide-table" aria-label="Set by the agent, scrolls sideways" tabIndex={0}>
        <Table label="Set by the agent" columns={COLUMNS} rows={rows} rowKey={({ chain }) => chain.chain} />
      </section>
      {transfers.length > 0 && (
        <details className="more">
          <summary>Ways handed from chain to chain, {count(transfers.length, "time")}</summary>
          <TransfersTable transfers={transfers} />
        </details>
      )}
    </div>
  );
}

/** "2, of 1 to 10", and the same on a track as long as what there is. */
function Gauge(props: {
  now: number | null;
  least: number | undefined;
  most: number | undefined;
  of: number | null;
  unit: string;
}): ReactNode {
  const { now, least, most, of, unit } = props;
  if (least === undefined || most === undefined) return DASH;
  const share = (value: number) => `${(100 * Math.min(value, of ?? most)) / (of ?? most)}%`;
  return (
    <span className="given-gauge nowrap">
      <i aria-hidden="true">
        <i className="bounds" style={{ left: share(least), right: `calc(100% - ${share(most)})` }} />
        {now !== null && <i className="now" style={{ left: share(now) }} />}
      </i>
      <span>
        <b className="strong">{now === null ? "shares all" : `${now}${unit}`}</b>{" "}
        <span className="t2">
          of {least} to {most}
          {unit}
        </span>
      </span>
    </span>
  );
}

function Last({ transfer }: { transfer: WayTransfer | null }): ReactNode {
  const now = useNow();
  if (transfer === null) return DASH;
  return (
    <span title={transfer.reason}>
      {transferText(transfer)}, <span className="nowrap">{ageOrTime(transfer.at, now)}</span>
    </span>
  );
}
