/** A training's exams as they come: what it serves beside two simple assigners, and how wrong it was meanwhile. */

import type { ReactNode } from "react";
import type { SchoolCurve } from "@/api/types";
import { count, figure, tick } from "@/lib/format";
import { Plot } from "@/ui/plot";

const MILLE = 1000;

/** `steps`: how far the axis goes: all that were asked for, while it runs. */
export function CurvePlots({ curve, steps = 0 }: { curve: SchoolCurve; steps?: number }): ReactNode {
  const marks = curve.marks ?? [];
  const last = marks.at(-1);
  if (!last) return <p className="section-body t2">The first exam has not been taken yet.</p>;
  const learned = marks.filter(({ loss }) => loss !== null);
  const end = Math.max(last.steps, steps, MILLE);
  const fixed = (name: string, part: number) => ({
    name: `${name} ${partText(part)}`,
    look: "simulated" as const,
    joined: true,
    points: [0, end].map((at) => ({ x: at / MILLE, y: 100 * part, title: `${name}: ${partText(part)}` })),
  });
  return (
    <>
      <Plot
        label={`Packets served in ${count(marks.length, "exam")}: ${partText(last.served)} in the last, after ${tick(last.steps)} steps; round robin ${partText(curve.rr)}, LPT ${partText(curve.lpt)}`}
        x={{ title: "thousand steps", format: tick }}
        y={{ title: "% of packets served in exams", format: tick }}
        series={[
          fixed("round robin", curve.rr),
          fixed("LPT", curve.lpt),
          {
            name: `network ${partText(last.served)}`,
            look: "simulated",
            joined: true,
            points: marks.map(({ steps, served }) => ({
              x: steps / MILLE,
              y: 100 * served,
              title: `${partText(served)} after ${tick(steps)} steps`,
            })),
          },
        ]}
      />
      {learned.length > 0 && (
        <Plot
          label={`How wrong it was, in parts of what a VNF asks for: ${tick(learned.at(-1)?.loss ?? 0)} at last`}
          x={{ title: "thousand steps", format: tick }}
          y={{ title: "loss: root mean square error of what it expects", format: tick }}
          height={150}
          series={[
            {
              name: "loss",
              look: "simulated",
              joined: true,
              points: learned.map(({ steps, loss }) => ({
                x: steps / MILLE,
                y: loss ?? 0,
                title: `${(loss ?? 0).toFixed(3)} after ${tick(steps)} steps`,
              })),
            },
          ]}
        />
      )}
    </>
  );
}

/** "93.9 %" */
export function partText(part: number): string {
  return `${figure(100 * part)} %`;
}
