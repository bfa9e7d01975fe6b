/** What placements carry second by second while traffic changes: an algorithm a strip, all on one scale. */

import { type ReactNode, useMemo, useState } from "react";
import type { PlacementResult } from "@/api/types";
import { count, figure, tick } from "@/lib/format";
import { Choose } from "@/ui/choose";
import { pathOf } from "@/ui/line-chart-geometry";
import { Mark } from "@/ui/marks";
import { scaleOf } from "@/ui/plot-geometry";
import { Section } from "@/ui/section";
import { useWidth } from "@/ui/use-width";
import { bySecond, mean, type SecondsLine } from "./seconds";

const [STRIP, GAP, LEFT, RIGHT, FOOT] = [44, 18, 124, 124, 20];

export function SecondsSection({ result, runs }: { result: PlacementResult; runs: number }): ReactNode {
  const { scenario } = result;
  const [set, setSet] = useState(scenario.set[0]?.name ?? "");
  const lines = useMemo(() => bySecond(result, set), [result, set]);
  if (!scenario.time) return null;
  const chains = scenario.set.find(({ name }) => name === set)?.chains.length ?? 0;
  const changes = (scenario.time.changes ?? []).filter(({ chain }) => chain < chains);
  return (
    <Section
      title="Second by second"
      note={
        <>
          Mpps of all chains of {set} · <Mark origin="simulated" />
          simulated · {runs === 1 ? "1 run" : `mean of ${count(runs, "run")}`}
        </>
      }
    >
      {scenario.set.length > 1 && (
        <div className="plot-choice">
          <Choose
            label="Set"
            value={set}
            choices={scenario.set.map(({ name }) => ({ key: name, text: name }))}
            onChange={setSet}
          />
        </div>
      )}
      <Strips lines={lines} at={changes.map(({ at_s }) => at_s)} seconds={scenario.time.seconds} />
      {changes.length > 0 && (
        <p className="section-body t2">
          Traffic changes:{" "}
          {changes
            .map(({ at_s, chain, mpps }) => `at ${tick(at_s)} s chain ${chain + 1} is offered ${tick(mpps)} Mpps`)
            .join("; ")}
          .
        </p>
      )}
    </Section>
  );
}

function Strips({
  lines,
  at,
  seconds,
}: {
  lines: readonly SecondsLine[];
  at: readonly number[];
  seconds: number;
}): ReactNode {
  const { width: room, ref } = useWidth(720);
  const width = Math.max(360, Math.min(900, room - 16));
  const right = width - RIGHT;
  const up = scaleOf(
    lines.flatMap(({ mpps }) => mpps),
    5,
  );
  const across = scaleOf([seconds], 6, true);
  const x = (second: number) => LEFT + (second / seconds) * (right - LEFT);
  const bottom = lines.length * (STRIP + GAP);
  const label = `Mpps in each of ${seconds} s: ${lines.map(({ algorithm, mpps }) => `${algorithm}, mean ${figure(mean(mpps))}`).join("; ")}`;
  return (
    <div ref={ref} className="chart-room plot-room">
      <svg className="chart plot dot-rows" width={width} height={bottom + FOOT} role="img" aria-label={label}>
        {at.map((second, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two chains may change at the same time
          <line key={index} className="change" x1={x(second)} x2={x(second)} y1={0} y2={bottom} />
        ))}
        {lines.map((line, index) => (
          <Strip
            key={line.algorithm}
            line={line}
            top={index * (STRIP + GAP) + GAP}
            most={up.high}
            x={x}
            right={right}
          />
        ))}
        {across.ticks
          .filter((each) => each <= seconds)
          .map((each) => (
            <text key={each} x={x(each)} y={bottom + 14} textAnchor="middle">
              {each === 0 ? "0 s" : each}
            </text>
          ))}
      </svg>
    </div>
  );
}

function Strip(props: {
  line: SecondsLine;
  top: number;
  most: number;
  x: (second: number) => number;
  right: number;
}): ReactNode {
  const { line, top, most, x, right } = props;
  const y = (value: number) => top + (1 - value / most) * STRIP;
  // A figure is that of its whole second.
  const points = line.mpps.flatMap((value, second) => [[second, value] as const, [second + 1, value] as const]);
  return (
    <g>
      {[0, most].map((value) => (
        <g key={value}>
          <line className="grid" x1={LEFT} x2={right} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 6} y={y(value) + 3} textAnchor="end">
            {tick(value)}
          </text>
        </g>
      ))}
      <text className="row-name" x={0} y={top + STRIP / 2 + 4}>
        {line.algorithm}
      </text>
      <path className="second-line" d={pathOf(points, x, y, 0)} />
      <text className="row-end" x={right + 12} y={top + STRIP / 2 + 4}>
        {figure(mean(line.mpps))} on average
      </text>
    </g>
  );
}
