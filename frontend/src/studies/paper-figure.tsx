/** The lines of a figure of a law's paper, as a study found them: a plot for each unit. */

import type { ReactNode } from "react";
import type { NumasfpResult, Sfc2cpuResult } from "@/api/types";
import { figure, tick } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Plot } from "@/ui/plot";
import { Section } from "@/ui/section";

type Line = NumasfpResult["lines"][number];

export function FigureSection({ result }: { result: NumasfpResult | Sfc2cpuResult }): ReactNode {
  const units = [...new Set(result.lines.map(({ unit }) => unit))];
  if (units.length === 0) return null;
  return (
    <Section
      title="Figure"
      note={
        <>
          <Mark origin="simulated" />
          simulated
        </>
      }
    >
      {units.map((unit) => (
        <UnitPlot key={unit} x={result.x} unit={unit} lines={result.lines.filter((line) => line.unit === unit)} />
      ))}
    </Section>
  );
}

function UnitPlot({ x, unit, lines }: { x: string; unit: string; lines: readonly Line[] }): ReactNode {
  const ends = lines.map(({ name, y }) => `${name}, at last ${figure(y.at(-1) ?? 0)}`).join("; ");
  return (
    <Plot
      label={`${unit} by ${x}: ${ends}`}
      x={{ title: x, format: tick }}
      y={{ title: unit, format: tick }}
      series={lines.map(({ name, x: at, y }) => ({
        name,
        look: "simulated" as const,
        joined: true,
        points: y.map((value, index) => ({
          x: at[index] ?? 0,
          y: value,
          title: `${name}: ${figure(value)} ${unit} at ${tick(at[index] ?? 0)}`,
        })),
      }))}
    />
  );
}
