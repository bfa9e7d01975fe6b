/** The chains' lines from the ports through the nodes, and the ports they start at. */

import type { ReactNode } from "react";
import type { ChainView, HostView } from "@/api/types";
import { figure, SIGNS } from "@/lib/format";
import { Tag } from "./picture-cell";
import type { PictureLayout } from "./picture-layout";
import { FRAME } from "./picture-measure";
import { PORTS_END, type Track } from "./tracks";

export function Tracks({ tracks }: { tracks: readonly Track[] }): ReactNode {
  return (
    <>
      {tracks.map((track) => (
        <g key={track.chain} className={`track chain-${track.letter.toLowerCase()}`}>
          <path d={`M${track.from} ${track.y}H${track.to}`} />
          {track.crossings.map(([from, to]) => (
            <g key={from} className="crossing">
              <path d={`M${from} ${track.y}H${to}`} />
              <path className="arrow" d={`M${(from + to) / 2 - 3} ${track.y - 4}l6 4-6 4`} />
            </g>
          ))}
          {track.returnsFrom !== null && (
            <path className="back" d={`M${track.from} ${track.y + 4.5}H${track.returnsFrom}`} />
          )}
          {track.stops.map(({ nf, x, y }) => (
            <path key={nf.nf_id} d={`M${x} ${track.y}V${y}`} />
          ))}
        </g>
      ))}
      {tracks.map((track) => (
        <g key={track.chain}>
          <Tag x={track.from + 11} y={track.y} tag={track.letter} letter={track.letter} />
          {track.stops.map(({ nf, x, y }) => (
            <Tag key={nf.nf_id} x={x} y={y} tag={`${track.letter}${nf.position + 1}`} letter={track.letter} />
          ))}
        </g>
      ))}
    </>
  );
}

const PORT_H = 34;
/** More stand in the table. */
const MOST_PORTS = 4;

/** Boxes at the left edge, around the corridor's height. */
export function Ports(props: {
  layout: PictureLayout;
  host: HostView;
  chains: readonly ChainView[];
  known: boolean;
}): ReactNode {
  const { layout, host, chains, known } = props;
  if (!layout.corridor) return null;
  const ports = portsOf(host);
  const shown = ports.slice(0, MOST_PORTS);
  const h = shown.length * (PORT_H + 2);
  const middle = layout.corridor.y + FRAME.trackPad + (layout.corridor.tracks * FRAME.trackPitch) / 2;
  const top = Math.max(FRAME.title + 14, middle - h / 2);
  // The letters stand beside the boxes: words as wide as both go below them.
  const below = Math.max(top + h, middle + (layout.corridor.tracks * FRAME.trackPitch) / 2) + 12;
  const offered = chains.reduce((sum, { sample }) => sum + (sample?.offered_mpps ?? 0), 0);
  return (
    <g className="ports">
      <text className="title" x={0} y={top - 6}>
        {host.inventory?.ports?.length ? "Ports" : "NICs"}
      </text>
      {shown.map(({ name, kind, node }, index) => (
        <g key={name} transform={`translate(0 ${top + index * (PORT_H + 2)})`}>
          <rect x={0.5} y={0.5} width={PORTS_END - 1} height={PORT_H - 1} />
          <text className="strong" x={6} y={14}>
            {name}
          </text>
          <text x={6} y={28}>
            {kind}
          </text>
          <text className="axis" x={PORTS_END - 5} y={14} textAnchor="end">
            {node}
          </text>
        </g>
      ))}
      {ports.length > shown.length && (
        <text className="axis" x={0} y={below}>
          and {ports.length - shown.length} more
        </text>
      )}
      {known && chains.some(({ sample }) => sample) && (
        <text className="axis" x={0} y={below + (ports.length > shown.length ? 14 : 0)}>
          {SIGNS[host.provenance]} {figure(offered)} Mpps offered
        </text>
      )}
    </g>
  );
}

export interface PortBox {
  readonly name: string;
  readonly kind: string;
  readonly node: string;
}

/** Ports are where chains enter and leave; a host without any shows its network interfaces. */
export function portsOf({ inventory }: HostView): PortBox[] {
  const ports = inventory?.ports ?? [];
  const nics = inventory?.nics ?? [];
  if (ports.length > 0) {
    const speed = new Map(nics.map(({ name, speed_mbps }) => [name, speed_mbps]));
    return ports.map(({ name, kind, node }) => {
      const known = speed.get(name);
      return { name, kind: known ? speedText(known) : kind, node: `node ${node}` };
    });
  }
  return nics.map(({ name, node, speed_mbps }) => ({
    name,
    kind: speedText(speed_mbps),
    node: node === null ? "" : `node ${node}`,
  }));
}

/** "100 G", "2.5 G", "100 M". */
export function speedText(mbps: number | null | undefined): string {
  if (!mbps) return "speed not known";
  return mbps >= 1000 ? `${mbps / 1000} G` : `${mbps} M`;
}
