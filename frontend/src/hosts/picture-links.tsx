/** How full the links between a host's nodes are, in both directions. */

import type { ReactNode } from "react";
import type { HostView, NodeSample } from "@/api/types";
import { linkText, linkWays, nodeOf } from "@/interference/counters";
import { percent, SIGNS } from "@/lib/format";
import { sequentialStep } from "@/lib/ramp";
import { stepName, stepStyle } from "./picture-cell";
import type { PictureNode } from "./picture-layout";
import type { Figures } from "./use-host";

/** Of one node to the others, where they do not stand side by side: above what comes to it, below what leaves it. */
export function LinkBar(props: { sample: NodeSample; host: HostView; figures: Figures; w: number }): ReactNode {
  const { sample, host, figures, w } = props;
  const known = figures !== "none";
  const ways = linkWays(sample);
  const loads = ways ? [ways.in, ways.out] : [sample.link_load_percent ?? 0];
  const words = ways ? linkText(sample) : `${linkText(sample)} in its busier direction`;
  const pitch = loads.length > 1 ? 5 : 0;
  const h = loads.length > 1 ? 4 : 6;
  return (
    <>
      <text className="title" x={0} y={20}>
        Link
      </text>
      <text className="figure" x={w} y={20} textAnchor="end">
        {known ? `${signOf(figures, host)} ${words}` : "no figures"}
      </text>
      {loads.map((load, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two directions, always the same
        <g key={index} transform={`translate(0 ${26 + index * pitch})`}>
          <rect className="empty" x={0} y={0} width={w} height={h} />
          {known && <Fill load={load} x={0} y={0} w={(w * load) / 100} h={h} />}
        </g>
      ))}
    </>
  );
}

const TALL = 44;
const WIDE = 12;

/** Between two nodes that stand side by side: how full the link that joins them is, each direction a column. */
export function LinkBetween(props: {
  from: PictureNode;
  to: PictureNode;
  host: HostView;
  figures: Figures;
}): ReactNode {
  const { from, to, host, figures } = props;
  const sample = nodeOf(host, from.id) ?? nodeOf(host, to.id);
  if (sample?.link_load_percent == null) return null;
  const known = figures !== "none";
  const ways = linkWays(nodeOf(host, from.id));
  const pipes = ways
    ? [
        { arrow: "→ ", load: ways.out, x: -WIDE - 2 },
        { arrow: "← ", load: ways.in, x: 2 },
      ]
    : [{ arrow: "", load: sample.link_load_percent, x: -WIDE / 2 }];
  const middle = (from.frame.x + from.frame.w + to.frame.x) / 2;
  return (
    <g className="link" transform={`translate(${middle} ${from.frame.y})`}>
      <text className="title" x={0} y={-8} textAnchor="middle">
        {known && `${SIGNS[host.provenance]} `}Link
      </text>
      {pipes.map(({ arrow, load, x }, index) => (
        <g key={arrow}>
          <rect className="empty" x={x} y={6} width={WIDE} height={TALL} />
          {known && <Fill load={load} x={x} y={6 + TALL * (1 - load / 100)} w={WIDE} h={(TALL * load) / 100} />}
          <text className="figure" x={0} y={TALL + 20 + 14 * index} textAnchor="middle">
            {known ? `${arrow}${percent(load)} %` : `${arrow}–`}
          </text>
        </g>
      ))}
    </g>
  );
}

function Fill(props: { load: number; x: number; y: number; w: number; h: number }): ReactNode {
  const { load, x, y, w, h } = props;
  const style = stepStyle(stepName("sequential", sequentialStep(load, 100)));
  return <rect className="step" style={style} x={x} y={y} width={w} height={h} />;
}

function signOf(figures: Figures, { provenance }: HostView): string {
  return figures === "present" ? SIGNS[provenance] : "last known";
}
