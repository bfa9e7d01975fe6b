/** Which counter weighs NF types on a host model: every candidate against the requirements, and two plots. */

import type { ReactNode } from "react";
import type { FitView, MetricSelection } from "@/api/types";
import { figure, tick } from "@/lib/format";
import { Mark, Shape } from "@/ui/marks";
import { Plot, type Series } from "@/ui/plot";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { SeriesTable } from "./series-table";

type Score = MetricSelection["scores"][number];

/** Octans, Sec. IV-A, as the model generator judges them. */
const COLUMNS: readonly Column<Score>[] = [
  { key: "metric", head: "Metric per packet", cell: ({ metric }) => <span className="mono">{metric}</span> },
  { key: "variance", head: "Variance beside others, ≤ 0.01", align: "right", cell: ({ variance }) => number(variance) },
  {
    key: "correlation",
    head: "|r| with solo throughput, ≥ 0.9",
    align: "right",
    cell: ({ correlation }) => number(correlation),
  },
  {
    key: "aggressiveness",
    head: "ρ with the loss of a reporter, < 0",
    align: "right",
    cell: ({ aggressiveness }) => number(aggressiveness),
  },
  {
    key: "verdict",
    head: "Qualifies",
    cell: ({ qualifies, why_not }) =>
      qualifies ? (
        <span className="nowrap">
          <Shape name="ok" />
          yes
        </span>
      ) : (
        <span className="t2">{why_not}</span>
      ),
  },
];

export function MetricSection({ view, nfType }: { view: FitView; nfType: string }): ReactNode {
  const { fit } = view;
  if (!fit) return null;
  const { metric, scale, basis } = fit;
  return (
    <Section
      title="Metric"
      note={
        <>
          {metric.chosen ? "chosen" : "none qualifies; the nearest is used"}:{" "}
          <span className="mono">{metric.used}</span>, divided by {figure(scale)}; for all NF types of this host model
        </>
      }
    >
      <div className="section-body">
        {metric.note && (
          <p className={metric.chosen ? "t2" : "warn"}>
            {!metric.chosen && <Shape name="warn" />}
            {metric.note}
          </p>
        )}
        <details className="more">
          <summary>Every metric against the requirements, and two plots</summary>
          <Table label="Metrics" columns={COLUMNS} rows={inOrder(metric)} rowKey={(score) => score.metric} />
          <div className="plot-pair">
            <Stability metric={metric} nfType={nfType} basis={basis} />
            <Alone metric={metric} nfType={nfType} basis={basis} />
          </div>
        </details>
      </div>
    </Section>
  );
}

/** The used one first, then those that qualify. */
function inOrder({ scores, used }: MetricSelection): readonly Score[] {
  const rank = (score: Score) => (score.metric === used ? 0 : score.qualifies ? 1 : 2);
  return [...scores].sort((a, b) => rank(a) - rank(b) || a.metric.localeCompare(b.metric));
}

type Basis = NonNullable<FitView["fit"]>["basis"];

/** Names at the lines' ends have room for so many; the rest is drawn without. */
const NAMED = 8;

function Stability({ metric, nfType, basis }: { metric: MetricSelection; nfType: string; basis: Basis }): ReactNode {
  if (metric.stability.length === 0) return null;
  const look = basis === "simulated" ? "simulated" : "measured";
  const order = [...metric.stability].sort((a, b) => Number(b.nf_type === nfType) - Number(a.nf_type === nfType));
  const series = order.map(
    ({ nf_type, competitors, values }, index): Series => ({
      name: nf_type,
      look,
      joined: index < NAMED,
      points: competitors.map((x, at) => {
        const y = values[at] ?? 0;
        return { x, y, title: `${nf_type} beside ${x}: ${figure(y)} a packet` };
      }),
    }),
  );
  const axes = {
    x: { title: "competitors", format: String, whole: true },
    y: { title: `${metric.used} per packet`, format: tick },
  };
  return (
    <figure aria-label={`${metric.used} beside competitors`}>
      <figcaption className="t2">
        <Mark origin={basis} />
        Beside competitors: it should hardly change
      </figcaption>
      <Plot label={`${metric.used} of each NF type over the number of competitors`} {...axes} series={series} />
      <SeriesTable series={series} {...axes} />
    </figure>
  );
}

function Alone({ metric, nfType, basis }: { metric: MetricSelection; nfType: string; basis: Basis }): ReactNode {
  if (metric.alone.length === 0) return null;
  const look = basis === "simulated" ? "simulated" : "measured";
  const point = ({ nf_type, value, ideal_mpps }: MetricSelection["alone"][number]) => ({
    x: value,
    y: ideal_mpps,
    title: `${nf_type}: ${figure(value)} a packet, ${figure(ideal_mpps)} Mpps`,
  });
  const own = metric.alone.filter(({ nf_type }) => nf_type === nfType).map(point);
  const series: Series[] = [
    { name: "others", look, points: metric.alone.filter(({ nf_type }) => nf_type !== nfType).map(point) },
    ...(own.length > 0 ? [{ name: nfType, look, points: own, joined: true } as const] : []),
  ];
  const axes = {
    x: { title: `${metric.used} per packet`, format: tick },
    y: { title: "solo throughput, Mpps", format: tick },
  };
  return (
    <figure aria-label={`${metric.used} and throughput alone`}>
      <figcaption className="t2">
        <Mark origin={basis} />
        Solo: it should correlate with throughput
      </figcaption>
      <Plot label={`Throughput alone of each NF type over ${metric.used}`} {...axes} series={series} />
      <SeriesTable series={series} {...axes} />
    </figure>
  );
}

function number(value: number | null): ReactNode {
  return value === null ? <span className="t3">not known</span> : figure(value);
}
