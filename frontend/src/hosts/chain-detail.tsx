/** One chain of the host in full: its traffic and objectives, and the last seconds of throughput and latency. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { ChainView } from "@/api/types";
import { LATENCY } from "@/capabilities/cannot";
import { useCannot } from "@/capabilities/use-cannot";
import { type Point, useChainHistory } from "@/chains/history";
import { deliveredText, trafficWords } from "@/chains/traffic-words";
import { LatencyVerdict, ThroughputVerdict } from "@/chains/verdict";
import { figure, instant, latency, latencyShort } from "@/lib/format";
import { type Line, LineChart } from "@/ui/line-chart";
import { Mark } from "@/ui/marks";
import { Segmented } from "@/ui/segmented";
import { Table } from "@/ui/table";
import { ChainTag } from "./chain-tag";
import type { HostData } from "./use-host";
import { matchText } from "./words";

export function ChainDetail({ chain, data }: { chain: ChainView; data: HostData }): ReactNode {
  const [as, setAs] = useState<"charts" | "table">("charts");
  const { points, now, seconds } = useChainHistory(chain);
  return (
    <section className="chain-detail" aria-label={`Chain ${chain.spec.name}`}>
      <div className="section-head">
        <h3>
          <ChainTag chain={chain.spec.name} letters={data.letters} />
          {chain.spec.name}
        </h3>
        <span className="t3 nowrap">
          <Mark origin={chain.provenance} />
          {chain.provenance}, last {seconds} s
        </span>
        <span className="end">
          <Segmented
            label="Charts or table"
            value={as}
            options={[
              { key: "charts", text: "Charts" },
              { key: "table", text: "Table" },
            ]}
            onChange={setAs}
          />
        </span>
      </div>
      <div className="chain-detail-parts">
        <ChainFacts chain={chain} />
        {points.length === 0 ? (
          <p className="section-body t2">No sample in the last {seconds} s.</p>
        ) : as === "table" ? (
          <History points={points} name={chain.spec.name} />
        ) : (
          <Charts chain={chain} points={points} now={now} seconds={seconds} />
        )}
      </div>
    </section>
  );
}

function ChainFacts({ chain }: { chain: ChainView }): ReactNode {
  const { spec } = chain;
  return (
    <dl className="facts section-body">
      <Fact name="Traffic">{trafficWords(spec.traffic)}</Fact>
      <Fact name="Match">{matchText(spec)}</Fact>
      <Fact name="Delivered">
        <Mark origin={chain.provenance} />
        {deliveredText(chain.sample)}
      </Fact>
      <Fact name="Filtered">
        <Mark origin={chain.provenance} />
        {figure(chain.sample?.filtered_mpps)} Mpps by rules
      </Fact>
      <Fact name="Throughput">
        <ThroughputVerdict chain={chain} />
      </Fact>
      <Fact name="Latency">
        <LatencyVerdict chain={chain} />
      </Fact>
      <Fact name="Value">{spec.value}</Fact>
      <Fact name="More">
        <Link to="/chains/$name" params={{ name: spec.name }}>
          Chain {spec.name}
        </Link>
        {chain.plan_id !== null && (
          <>
            ,{" "}
            <Link to="/plans/$planId" params={{ planId: String(chain.plan_id) }}>
              plan {chain.plan_id}
            </Link>
          </>
        )}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Charts(props: { chain: ChainView; points: readonly Point[]; now: number; seconds: number }): ReactNode {
  const { chain, points, now, seconds } = props;
  const { name, slo } = chain.spec;
  const look = chain.provenance === "simulated" ? "simulated" : "measured";
  const floor = slo.min_throughput_mpps ?? null;
  const ceiling = slo.max_p95_ms ?? null;
  const unmeasured = useCannot(chain, LATENCY);
  const line = (text: string, of: Line["look"], value: (point: Point) => number | null, form: Form): Line => ({
    name: text,
    look: of,
    points: points.map((point) => [point.at, value(point)]),
    end: form(points.at(-1) ? value(points.at(-1) as Point) : null),
  });
  return (
    <div>
      <p className="chart-title t2">Throughput, Mpps</p>
      <LineChart
        label={`Throughput of ${name}, the table holds the same`}
        lines={[
          line("offered", "quiet", ({ offered }) => offered, figure),
          line("delivered", look, ({ delivered }) => delivered, figure),
          line("drops", "quiet", ({ drop }) => drop, figure),
        ]}
        now={now}
        seconds={seconds}
        limit={floor === null ? undefined : { value: floor, text: `at least ${figure(floor)}` }}
        format={figure}
      />
      <p className="chart-title t2">Latency from ingress to egress</p>
      {unmeasured ? (
        <p className="chart-title t3">Not measured on {unmeasured}.</p>
      ) : (
        <LineChart
          label={`Latency of ${name}, the table holds the same`}
          lines={[
            line("p50", "quiet", ({ p50 }) => p50, latency),
            line("p95", look, ({ p95 }) => p95, latency),
            line("p99", "quiet", ({ p99 }) => p99, latency),
          ]}
          now={now}
          seconds={seconds}
          limit={
            ceiling === null
              ? undefined
              : { value: ceiling * 1000, text: `p95 at most ${latencyShort(ceiling * 1000)}` }
          }
          format={latencyShort}
        />
      )}
    </div>
  );
}

type Form = (value: number | null) => string;

/** The charts as a table, newest first. */
function History({ points, name }: { points: readonly Point[]; name: string }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <section className="history" tabIndex={0} aria-label={`Samples of ${name}, scrolls`}>
      <Table
        label={`Samples of ${name}`}
        rows={[...points].reverse()}
        rowKey={({ at }) => at}
        columns={[
          { key: "at", head: "Time", cell: ({ at }) => instant(new Date(at * 1000)) },
          { key: "offered", head: "Offered, Mpps", align: "right", cell: ({ offered }) => figure(offered) },
          { key: "delivered", head: "Delivered, Mpps", align: "right", cell: ({ delivered }) => figure(delivered) },
          { key: "drop", head: "Drops, Mpps", align: "right", cell: ({ drop }) => figure(drop) },
          { key: "p50", head: "p50", align: "right", cell: ({ p50 }) => latency(p50) },
          { key: "p95", head: "p95", align: "right", cell: ({ p95 }) => latency(p95) },
          { key: "p99", head: "p99", align: "right", cell: ({ p99 }) => latency(p99) },
        ]}
      />
    </section>
  );
}
