/** The front of each rate, by kind of node: how few ways and how little bandwidth carry it; drawn as SVG. The table of
 * levels below has the same figures. */

import type { ReactNode } from "react";
import type { LevelsVersion } from "@/api/types";
import { figure } from "@/lib/format";
import { apart } from "@/ui/line-chart-geometry";
import { Mark } from "@/ui/marks";
import { useWidth } from "@/ui/use-width";
import { type Front, frontsOf, frontsText, mostWays, type NodeFronts, stairs } from "./levels-fronts";

const HEIGHT = 200;
const LEFT = 36;
const NAMES = 92;
const TOP = 20;
const BOTTOM = 34;
const PERCENTS = [0, 20, 40, 60, 80, 100];
/** Numbers of the axis of ways that do not touch. */
const LEAST_APART = 18;

export function LevelsChart({ version }: { version: LevelsVersion }): ReactNode {
  const nodes = frontsOf(version);
  const ways = mostWays(nodes);
  const look = version.provenance === "simulated" ? "simulated" : "measured";
  if (nodes.every(({ fronts }) => fronts.length === 0)) return null;
  return (
    <>
      <div className="level-fronts">
        {nodes.map((node) => (
          <Fronts key={node.kind} node={node} ways={ways} look={look} />
        ))}
      </div>
      <p className="section-body t3">
        A rate is carried on its line, above it and right of it. Marks: the least that carries it,{" "}
        <Mark origin={version.provenance} />
        {version.provenance}; filled: the level that laws go by.
        {nodes.length < 2 && ` ${nodes[0]?.kind === "local" ? "Remote" : "Local"} nodes were not measured.`}
      </p>
    </>
  );
}

function Fronts(props: { node: NodeFronts; ways: number; look: "measured" | "simulated" }): ReactNode {
  const { node, ways, look } = props;
  const { width: room, ref } = useWidth(420);
  const width = Math.max(240, Math.min(620, room));
  const right = width - NAMES;
  const x = (at: number) => LEFT + (at / ways) * (right - LEFT);
  const y = (percent: number) => TOP + (1 - percent / 100) * (HEIGHT - TOP - BOTTOM);
  const every = Math.max(1, Math.ceil((LEAST_APART * ways) / (right - LEFT)));
  const ends = apart(
    node.fronts.map(({ points }) => y(points.at(-1)?.[1] ?? 0)),
    HEIGHT - BOTTOM + 2,
  );
  return (
    <figure>
      <figcaption>
        {node.kind === "local" ? "On a local node" : "On a remote node"}
        {node.beyond.length > 0 && (
          <span className="t2">; nothing carries {node.beyond.map((gbps) => figure(gbps)).join(", ")} Gbps</span>
        )}
      </figcaption>
      <div ref={ref} className="chart-room">
        <svg className="chart plot" width={width} height={HEIGHT} role="img" aria-label={`Fronts, ${frontsText(node)}`}>
          {PERCENTS.map((percent) => (
            <g key={percent}>
              <line className={percent === 0 ? "axis" : "grid"} x1={LEFT} x2={right} y1={y(percent)} y2={y(percent)} />
              <text x={LEFT - 6} y={y(percent) + 3} textAnchor="end">
                {percent}
              </text>
            </g>
          ))}
          {Array.from({ length: ways + 1 }, (_, at) => at)
            .filter((at) => at > 0 && at % every === 0)
            .map((at) => (
              <text key={at} x={x(at)} y={HEIGHT - BOTTOM + 14} textAnchor="middle">
                {at}
              </text>
            ))}
          <text x={0} y={10}>
            memory bandwidth, %
          </text>
          <text x={right} y={HEIGHT - 5} textAnchor="end">
            cache ways
          </text>
          {node.fronts.map((front, index) => (
            <g key={front.text} className={`front ${look}`}>
              <path d={stairs(front.points, x, y, right)} />
              <text x={right + 8} y={(ends[index] ?? 0) + 3}>
                {front.text}
              </text>
            </g>
          ))}
          {node.fronts.map((front) => (
            <Marks key={front.text} front={front} look={look} x={x} y={y} />
          ))}
        </svg>
      </div>
    </figure>
  );
}

function Marks(props: {
  front: Front;
  look: "measured" | "simulated";
  x: (ways: number) => number;
  y: (percent: number) => number;
}): ReactNode {
  const { front, look, x, y } = props;
  return (
    <g className={`points ${look}`}>
      {front.points.map(([ways, percent]) => {
        const [at, up] = [x(ways), y(percent)];
        const level = front.level?.[0] === ways && front.level[1] === percent;
        return (
          <g key={ways} className={level ? "level" : ""}>
            <title>{`${front.text}: ${ways} ${ways === 1 ? "way" : "ways"}, ${percent} %${level ? ", the level" : ""}`}</title>
            {look === "simulated" ? (
              <rect x={at - 3} y={up - 3} width={6} height={6} transform={`rotate(45 ${at} ${up})`} />
            ) : (
              <circle cx={at} cy={up} r={3.2} />
            )}
          </g>
        );
      })}
    </g>
  );
}
