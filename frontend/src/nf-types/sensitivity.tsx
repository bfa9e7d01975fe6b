/** What an NF type loses: over pressure, competitors or bubbles; measured points, and what was predicted of them. */

import { type ReactNode, useState } from "react";
import type { CurveModel, PointPurpose } from "@/api/types";
import { count, tick } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Plot, type PlotAxis, type Series } from "@/ui/plot";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { type CurveRole, PURPOSE_NOTES, PURPOSES, ROLE_ORDER, ROLES } from "./measured";
import {
  type Measurements,
  notPlaced,
  overBubbles,
  overCompetitors,
  overPressure,
  purposesOf,
} from "./sensitivity-series";
import { SeriesTable } from "./series-table";

type Over = "competitors" | "pressure" | "bubbles";

export const DROP: PlotAxis = { title: "drop, points", format: tick };
const AXES: Readonly<Record<Over, PlotAxis>> = {
  competitors: { title: "competitors", format: String, whole: true },
  pressure: { title: "pressure; 1 is an average NF beside it", format: tick },
  bubbles: { title: "size of each bubble, MiB", format: tick },
};

export function Sensitivity(props: {
  nfType: string;
  measured: Measurements;
  /** Of the fit that is shown, by NF type. */
  curves: ReadonlyMap<string, CurveModel>;
}): ReactNode {
  const { nfType, measured, curves } = props;
  const purposes = purposesOf(measured);
  const roles = ROLE_ORDER.filter((each) => curves.get(nfType)?.curves.some(({ role: known }) => known === each));
  const bubbles = overBubbles(measured);
  const kinds = [
    ...(purposes.length > 0 ? (["competitors"] as const) : []),
    ...(roles.length > 0 ? (["pressure"] as const) : []),
    ...(bubbles.length > 0 ? (["bubbles"] as const) : []),
  ];
  const [wanted, setOver] = useState<Over>("competitors");
  const [purpose, setPurpose] = useState<PointPurpose>("local");
  const [role, setRole] = useState<CurveRole>("local");
  const over = kinds.find((kind) => kind === wanted) ?? kinds[0];
  if (!over) return <Nothing />;
  const at = purposes.includes(purpose) ? purpose : (purposes[0] ?? "local");
  const inRole = roles.includes(role) ? role : (roles[0] ?? "local");
  const unplaced = notPlaced(measured, curves, inRole);
  const series = {
    competitors: () => overCompetitors(measured, at),
    pressure: () => overPressure(measured, curves, nfType, inRole),
    bubbles: () => bubbles,
  }[over]();
  return (
    <Section
      title="Sensitivity"
      note={<Key look={measured.look} predicted={series.some(({ look }) => look === "predicted" || look === "band")} />}
      end={
        <Segmented<Over>
          label="Over"
          value={over}
          options={kinds.map((key) => ({
            key,
            text: { competitors: "Competitors", pressure: "Pressure", bubbles: "Bubbles" }[key],
          }))}
          onChange={setOver}
        />
      }
    >
      {over === "competitors" && (
        <div className="plot-choice">
          <Segmented<PointPurpose>
            label="Standing"
            value={at}
            options={purposes.map((key) => ({ key, text: PURPOSES[key] }))}
            onChange={setPurpose}
          />
          <span className="t3">{PURPOSE_NOTES[at]}</span>
        </div>
      )}
      {over === "pressure" && (
        <div className="plot-choice">
          <Segmented<CurveRole>
            label="Role"
            value={inRole}
            options={roles.map((key) => ({ key, text: ROLES[key] }))}
            onChange={setRole}
          />
          {unplaced.points > 0 && (
            <span className="t3">
              {count(unplaced.points, "point")} not drawn: the pressure of {unplaced.of.join(", ")} is not known
            </span>
          )}
        </div>
      )}
      <Drawing nfType={nfType} over={over} series={series} />
    </Section>
  );
}

function Drawing({ nfType, over, series }: { nfType: string; over: Over; series: readonly Series[] }): ReactNode {
  const drawn = series.filter(({ look }) => look !== "band").reduce((sum, { points }) => sum + points.length, 0);
  return (
    <>
      <Plot
        label={`Drop of ${nfType} over ${AXES[over].title}: ${drawn} points`}
        x={AXES[over]}
        y={DROP}
        series={series}
      />
      <SeriesTable series={series} x={AXES[over]} y={DROP} />
    </>
  );
}

/** The marks that the plot uses, once. */
export function Key({ look, predicted }: { look: "measured" | "simulated"; predicted: boolean }): ReactNode {
  return (
    <>
      points of the throughput alone · <Mark origin={look} />
      {look} with its 95 % interval
      {predicted && (
        <>
          {" "}
          · <Mark origin="predicted" />
          predicted
        </>
      )}
    </>
  );
}

function Nothing(): ReactNode {
  return (
    <Section title="Sensitivity">
      <p className="section-body t2">It was not measured beside other NFs on this host model.</p>
    </Section>
  );
}
