/** Everything in the host picture; the rings of pin and focus are given. */

import type { ReactNode } from "react";
import type { Box } from "@/fleet/boxes";
import { coreFigure } from "@/fleet/core-figure";
import type { Unit } from "@/fleet/model";
import { otherWork } from "@/fleet/other-work";
import { percent } from "@/lib/format";
import { cellAppearance } from "./cell-appearance";
import { PictureCell, stepName, stepStyle } from "./picture-cell";
import { Gauges } from "./picture-gauges";
import { isLinkBetween, type PictureHead, type PictureLayout } from "./picture-layout";
import { LinkBetween } from "./picture-links";
import { FRAME } from "./picture-measure";
import { Ports, Tracks } from "./picture-tracks";
import { tracksOf } from "./tracks";
import type { HostData } from "./use-host";
import { nodeTitle, portsAt } from "./words";

/** Pixels of a core's head in which "other work 100 %" stands beside its figure. */
const ROOM_FOR_WORDS = 220;

export function Drawing(props: {
  data: HostData;
  layout: PictureLayout;
  /** By "core/slot". */
  units: ReadonlyMap<string, Unit>;
  /** Rings: over the cells, under the chains' stops. */
  children: ReactNode;
}): ReactNode {
  const { data, layout, units } = props;
  const { host, letters, layer, figures } = data;
  const known = figures !== "none";
  const tagged = layout.corridor === null;
  const [first, second] = layout.nodes;
  const linkBetween = isLinkBetween(layout);
  return (
    <>
      <Hatch />
      {layout.nodes.map((_, index) => (
        <Frame key={layout.nodes[index]?.id} data={data} layout={layout} index={index} />
      ))}
      {layout.pairs.map(({ x, y, w }) => (
        <path key={`${x} ${y}`} className="pair" d={`M${x + 1} ${y + 1}v2h${w - 2}v-2`} />
      ))}
      {layout.heads.map((head) => (
        <CoreHead key={head.core} head={head} data={data} known={known} />
      ))}
      {layout.units.map(({ x, y, w, h, core, slot }) => {
        const unit = units.get(`${core}/${slot}`);
        if (!unit) return null;
        const look = cellAppearance(unit, layer, letters, figures);
        const box = { x, y, w, h };
        const lowered = layout.corridor !== null && y > layout.corridor.y;
        return (
          <PictureCell
            key={`${core}/${slot}`}
            {...look}
            {...box}
            level={layout.level}
            tagged={tagged}
            lowered={lowered}
          />
        );
      })}
      {props.children}
      <Ports layout={layout} host={host} chains={data.chains} known={known} />
      <Tracks tracks={tracksOf(layout, data.nfs, letters)} />
      {linkBetween && first && second && <LinkBetween from={first} to={second} host={host} figures={figures} />}
      {layout.nodes.map((node) => (
        <Gauges
          key={node.id}
          node={node}
          host={host}
          nfs={data.nfs}
          letters={letters}
          figures={figures}
          linkBetween={linkBetween}
        />
      ))}
    </>
  );
}

function Frame({ data, layout, index }: { data: HostData; layout: PictureLayout; index: number }): ReactNode {
  const node = layout.nodes[index];
  if (!node) return null;
  const { id, frame } = node;
  return (
    <>
      <text className="title" x={frame.x} y={frame.y - 8}>
        Node {id}
      </text>
      <text x={frame.x + 48} y={frame.y - 8}>
        {nodeTitle(data.host, id)}
      </text>
      <text x={frame.x + frame.w} y={frame.y - 8} textAnchor="end">
        {inUse(data, index)}
      </text>
      <NodeBand data={data} index={index} frame={frame} />
      <rect className="frame" x={frame.x + 0.5} y={frame.y + 0.5} width={frame.w - 1} height={frame.h - 1} />
      {portsAt(data.host, id).length > 0 && (
        <rect className="local" x={frame.x - 1} y={frame.y} width={2} height={frame.h} />
      )}
    </>
  );
}

/** A layer's figure of the node as a whole: no core has it. */
function NodeBand(props: { data: HostData; index: number; frame: Box }): ReactNode {
  const { data, index, frame } = props;
  const { layer, figures } = data;
  const step = data.model.nodes[index]?.step ?? -1;
  if (!layer.ofNode || step < 0 || figures !== "present") return null;
  const name = stepName(layer.ramp, step);
  return (
    <g className={`cell stepped ${name}`} style={stepStyle(name)}>
      <rect className="ground" x={frame.x} y={frame.y} width={frame.w} height={FRAME.pad} />
    </g>
  );
}

/** Above the slots of a shared core: its number, how many are taken, what other work takes of it, and its figure of the
 * layer. */
function CoreHead({ head, data, known }: { head: PictureHead; data: HostData; known: boolean }): ReactNode {
  const core = data.model.cores.flat().find((each) => each.core.id === head.core);
  const other = known ? otherWork(data.host).get(head.core) : undefined;
  const word = head.w < ROOM_FOR_WORDS ? "other" : "other work";
  return (
    <g className="core-head" transform={`translate(${head.x} ${head.y})`}>
      <text x={0} y={12}>
        core {head.core}, {core?.used ?? 0} of {core?.core.slots ?? 1}
        {other ? `, ${word} ${percent(other.percent)} %` : ""}
      </text>
      <text className="strong" x={head.w} y={12} textAnchor="end">
        {known && core ? coreFigure(data.layer, core, data.model) : ""}
      </text>
    </g>
  );
}

function inUse({ model }: HostData, node: number): string {
  const cores = (model.cores[node] ?? []).filter(({ core }) => !core.reserved_for && core.slots !== 0);
  const used = cores.reduce((sum, core) => sum + core.used, 0);
  const slots = cores.reduce((sum, { core }) => sum + (core.slots ?? 1), 0);
  return `${used} of ${slots} ${slots === cores.length ? "cores" : "slots"} in use`;
}

function Hatch(): ReactNode {
  return (
    <defs>
      <pattern id="host-hatch" width={5} height={5} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch" width={2.5} height={5} />
      </pattern>
      <pattern id="host-ddio" width={4} height={4} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="ddio" width={1.5} height={4} />
      </pattern>
    </defs>
  );
}
