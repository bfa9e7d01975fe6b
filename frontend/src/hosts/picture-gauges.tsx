/** Below a node's cells: its core time and memory bandwidth by chain, its link, its last-level cache. */

import type { ReactNode } from "react";
import type { HostView, NfView, Provenance } from "@/api/types";
import { nodeOf } from "@/interference/counters";
import { count, figure, percent, SIGNS } from "@/lib/format";
import { type ChainPart, type CoreTime, coreTimeOf } from "./core-time";
import type { Letters } from "./letters";
import { withoutSamples } from "./llc";
import { LlcStrip } from "./llc-strip";
import { type MemorySplit, memorySplit } from "./memory-split";
import type { PictureNode } from "./picture-layout";
import { LinkBar } from "./picture-links";
import { FRAME } from "./picture-measure";
import type { Figures } from "./use-host";

const BAR = 14;

interface GaugeProps {
  node: PictureNode;
  host: HostView;
  nfs: readonly NfView[];
  letters: Letters;
  figures: Figures;
}

export function Gauges(props: GaugeProps & { linkBetween: boolean }): ReactNode {
  const { node, host, nfs, letters, figures } = props;
  const { x, y, w } = node.gauges;
  const known = figures !== "none";
  const memory = memorySplit(host, node.id, known ? nfs : [], letters);
  const sample = props.linkBetween ? null : nodeOf(host, node.id);
  const link = sample?.link_load_percent == null ? null : sample;
  const linkY = FRAME.bar + (memory ? FRAME.bar : 0);
  return (
    <g transform={`translate(${x} ${y})`}>
      <CoreTimeBar {...props} w={w} />
      {memory && (
        <g transform={`translate(0 ${FRAME.bar})`}>
          <MemoryBar memory={memory} host={host} letters={letters} figures={figures} w={w} />
        </g>
      )}
      {link !== null && (
        <g transform={`translate(0 ${linkY})`}>
          <LinkBar sample={link} host={host} figures={figures} w={w} />
        </g>
      )}
      <g transform={`translate(0 ${linkY + (link === null ? 0 : FRAME.link) + 17})`}>
        <LlcStrip host={host} node={node.id} nfs={known ? nfs : withoutSamples(nfs)} letters={letters} w={w} />
      </g>
    </g>
  );
}

function CoreTimeBar({ node, host, letters, figures, nfs, w }: GaugeProps & { w: number }): ReactNode {
  const known = figures !== "none";
  const time = coreTimeOf(host, node.id, known ? nfs : [], letters);
  return (
    <Bar
      title="Core time"
      words={coreTimeText(time, figures, host.provenance)}
      parts={time.parts}
      rest={known ? time.other : 0}
      whole={time.cores}
      letters={letters}
      w={w}
    />
  );
}

function coreTimeText({ busy, cores }: CoreTime, figures: Figures, provenance: Provenance): string {
  const of = count(cores, "core");
  if (busy === null || figures === "none") return `no figures, ${of}`;
  return `${sign(figures, provenance)} ${figure(busy)} of ${of} busy`;
}

/** On the scale of what the controllers can do at most; without that there is nothing to draw the parts against. */
function MemoryBar(props: {
  memory: MemorySplit;
  host: HostView;
  letters: Letters;
  figures: Figures;
  w: number;
}): ReactNode {
  const { memory, host, letters, figures, w } = props;
  const drawn = figures !== "none" && memory.load !== null && memory.load > 0;
  return (
    <Bar
      title="Memory bandwidth"
      words={memoryText(memory, figures, host.provenance)}
      parts={drawn ? memory.parts : []}
      rest={drawn ? memory.rest : 0}
      whole={drawn ? (memory.total * 100) / (memory.load ?? 100) : 0}
      letters={letters}
      w={w}
    />
  );
}

export function memoryText({ total, load }: MemorySplit, figures: Figures, provenance: Provenance): string {
  if (figures === "none") return "no figures";
  const of = load === null ? "its peak is not reported" : `${percent(load)} % of its peak`;
  return `${sign(figures, provenance)} ${figure(total / 1e9)} GB/s, ${of}`;
}

function Bar(props: {
  title: string;
  words: string;
  parts: readonly ChainPart[];
  rest: number;
  /** The end of the scale, in the parts' unit; 0: nothing is drawn. */
  whole: number;
  letters: Letters;
  w: number;
}): ReactNode {
  const { title, words, letters, whole, w } = props;
  const scale = whole > 0 ? w / whole : 0;
  let at = 0;
  const parts = [...props.parts, { chain: "", amount: props.rest }].map((part) => {
    const x = at;
    at += part.amount * scale;
    return { ...part, x, letter: part.chain ? letters.get(part.chain) : undefined };
  });
  return (
    <>
      <text className="title" x={0} y={20}>
        {title}
      </text>
      <text className="figure" x={w} y={20} textAnchor="end">
        {words}
      </text>
      <rect className="empty" x={0} y={27} width={w} height={BAR} />
      {parts.map((part) => (
        <g
          key={part.chain ?? "others"}
          className={part.letter ? `chain-${part.letter.toLowerCase()}` : part.chain === null ? "others" : "rest"}
        >
          <rect className="part" x={part.x} y={27} width={Math.max(0, part.amount * scale - 1)} height={BAR} />
          {part.letter && part.amount * scale > 14 && (
            <text className="tag-text" x={part.x + (part.amount * scale) / 2} y={38} textAnchor="middle">
              {part.letter}
            </text>
          )}
        </g>
      ))}
    </>
  );
}

function sign(figures: Figures, provenance: Provenance): string {
  return figures === "present" ? SIGNS[provenance] : "last known";
}
