/** What others lose to an NF type: a fixed reporter beside it, and the pressures that the curves found. */

import type { ReactNode } from "react";
import type { CurveModel } from "@/api/types";
import { figure } from "@/lib/format";
import { Plot, type PlotAxis } from "@/ui/plot";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { DROP, Key } from "./sensitivity";
import { type Measurements, overInstances } from "./sensitivity-series";
import { SeriesTable } from "./series-table";

const INSTANCES: PlotAxis = { title: "instances beside the reporter", format: String, whole: true };
/** Types that press most, shown beside the one in question. */
const MOST = 12;

export function Contentiousness(props: {
  nfType: string;
  measured: Measurements;
  curves: ReadonlyMap<string, CurveModel>;
}): ReactNode {
  const { nfType, measured, curves } = props;
  const series = overInstances(measured);
  const reporter = measured.points.find(({ setting }) => setting.purpose === "contentiousness")?.setting.chain.at(-1);
  const pressing = [...curves.values()].sort((a, b) => b.near - a.near);
  if (series.length === 0 && pressing.length === 0) {
    return (
      <Section title="Contentiousness">
        <p className="section-body t2">Contentiousness was not measured on this host model.</p>
      </Section>
    );
  }
  return (
    <Section title="Contentiousness" note={<Key look={measured.look} predicted={false} />}>
      {series.length > 0 && (
        <>
          <Plot
            label={`Throughput that a reporter (${reporter?.nf_type ?? "an NF"}) loses to ${nfType}`}
            x={INSTANCES}
            y={{ ...DROP, title: `drop of the reporter${reporter ? ` (${reporter.nf_type})` : ""}, points` }}
            series={series}
          />
          <SeriesTable series={series} x={INSTANCES} y={DROP} />
        </>
      )}
      {pressing.length > 0 && <Pressures pressing={pressing} nfType={nfType} />}
    </Section>
  );
}

function Pressures({ pressing, nfType }: { pressing: readonly CurveModel[]; nfType: string }): ReactNode {
  const shown = pressing.filter((model, index) => index < MOST || model.nf_type === nfType);
  const columns: readonly Column<CurveModel>[] = [
    {
      key: "type",
      head: "NF type",
      cell: ({ nf_type }) => (nf_type === nfType ? <b className="strong">{nf_type}</b> : nf_type),
    },
    { key: "near", head: "Pressure on its node", align: "right", cell: ({ near }) => figure(near) },
    { key: "far", head: "On other nodes", align: "right", cell: ({ far }) => figure(far) },
  ];
  return (
    <>
      <p className="section-body t2">
        Pressure of one instance, fitted for all NF types of this host model together; 1 is the average. How much of it
        counts on other nodes depends on the affected NF
        {shown.length < pressing.length && `; ${shown.length} of ${pressing.length} types shown`}.
      </p>
      <Table label="Pressures" columns={columns} rows={shown} rowKey={({ nf_type }) => nf_type} />
    </>
  );
}
