/** What competitors take, point by point as they are measured: drop over their number, by their type. */

import { type ReactNode, useState } from "react";
import type { PointPurpose, ProfilingPoint } from "@/api/types";
import { figure } from "@/lib/format";
import { Mark, type Origin } from "@/ui/marks";
import { Plot } from "@/ui/plot";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { curvesOf, drawn } from "./curves";
import { PURPOSES } from "./setting";

/** Why there is nothing to draw. */
function noDrop(points: readonly ProfilingPoint[]): string {
  const beside = points.filter(({ setting }) => setting.purpose !== "ideal");
  if (beside.some(({ state }) => state === "waiting" || state === "running"))
    return "No drop is measured yet: points without competitors are measured first.";
  if (beside.length === 0) return "No point of this job has competitors: it measures solo throughput only.";
  const unmeasured = beside.find(({ state }) => state === "not_measurable");
  return unmeasured
    ? `No drop was measured: not measurable on this host (${unmeasured.note}).`
    : "No drop was measured: see each point below.";
}

export function DropPlot({ points, origin }: { points: readonly ProfilingPoint[]; origin: Origin }): ReactNode {
  const [wanted, setWanted] = useState<PointPurpose>("local");
  const there = drawn(points);
  const options = PURPOSES.filter(({ key }) => there.has(key));
  const chosen = options.find(({ key }) => key === wanted) ?? options[0];
  const simulated = origin === "simulated";
  const note = (
    <>
      <Mark origin={origin} />
      {origin}, with 95 % intervals
    </>
  );
  if (!chosen) {
    return (
      <Section title="Drop" note="throughput lost to competitors">
        <p className="section-body t2">{noDrop(points)}</p>
      </Section>
    );
  }
  const curves = curvesOf(points, chosen.key);
  const bubbles = chosen.key === "sensitivity";
  const all = curves.reduce((sum, curve) => sum + curve.points.length, 0);
  return (
    <Section title="Drop" note={note}>
      <div className="section-body kinds">
        <Segmented
          label="Kind of points"
          value={chosen.key}
          options={options.map(({ key, title }) => ({ key, text: title }))}
          onChange={setWanted}
        />
        <span className="t2">{chosen.measures}</span>
      </div>
      <Plot
        label={`Drop of ${all} points, ${chosen.title.toLowerCase()}: ${curves.map(({ name }) => name).join(", ")}; the figures stand in the table below`}
        x={
          bubbles
            ? { title: "MiB of bubbles", format: figure }
            : { title: "competitors", format: (value) => String(value), whole: true }
        }
        y={{ title: "drop, %", format: figure }}
        series={curves.map((curve) => ({
          name: curve.name,
          look: simulated ? ("simulated" as const) : ("measured" as const),
          points: curve.points,
          joined: true,
        }))}
      />
    </Section>
  );
}
