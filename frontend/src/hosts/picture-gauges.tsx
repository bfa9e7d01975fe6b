/** Below a node's cells: its core time by chain, and its last-level cache. */

import type { ReactNode } from "react";
import type { HostView, NfView, Provenance } from "@/api/types";
import { SIGNS } from "@/fleet/describe";
import { count, figure } from "@/lib/format";
import { type CoreTime, coreTimeOf } from "./core-time";
import type { Letters } from "./letters";
import { llcShares, llcText } from "./llc";
import { Tag } from "./picture-cell";
import type { PictureNode } from "./picture-layout";
import { FRAME } from "./picture-measure";
import type { Figures } from "./use-host";

const BAR = 14;

export function Gauges(props: {
  node: PictureNode;
  host: HostView;
  nfs: readonly NfView[];
  letters: Letters;
  figures: Figures;
}): ReactNode {
  const { node, host, nfs, letters } = props;
  return (
    <g transform={`translate(${node.gauges.x} ${node.gauges.y})`}>
      <CoreTimeBar {...props} w={node.gauges.w} />
      <Llc host={host} node={node.id} nfs={nfs} letters={letters} w={node.gauges.w} />
    </g>
  );
}

function CoreTimeBar(props: {
  node: PictureNode;
  host: HostView;
  nfs: readonly NfView[];
  letters: Letters;
  figures: Figures;
  w: number;
}): ReactNode {
  const { node, host, letters, figures, w } = props;
  const known = figures !== "none";
  const time = coreTimeOf(host, node.id, known ? props.nfs : [], letters);
  const scale = time.cores > 0 ? w / time.cores : 0;
  let at = 0;
  const parts = [...time.parts, { chain: "", cores: known ? time.other : 0 }].map((part) => {
    const x = at;
    at += part.cores * scale;
    return { ...part, x, letter: part.chain ? letters.get(part.chain) : undefined };
  });
  return (
    <>
      <text className="title" x={0} y={20}>
        Core time
      </text>
      <text className="figure" x={w} y={20} textAnchor="end">
        {coreTimeText(time, figures, host.provenance)}
      </text>
      <rect className="empty" x={0} y={27} width={w} height={BAR} />
      {parts.map((part) => (
        <g
          key={part.chain ?? "others"}
          className={part.letter ? `chain-${part.letter.toLowerCase()}` : part.chain === null ? "others" : "rest"}
        >
          <rect className="part" x={part.x} y={27} width={Math.max(0, part.cores * scale - 1)} height={BAR} />
          {part.letter && part.cores * scale > 14 && (
            <text className="tag-text" x={part.x + (part.cores * scale) / 2} y={38} textAnchor="middle">
              {part.letter}
            </text>
          )}
        </g>
      ))}
    </>
  );
}

function coreTimeText({ busy, cores }: CoreTime, figures: Figures, provenance: Provenance): string {
  const of = count(cores, "core");
  if (busy === null || figures === "none") return `no figures, ${of}`;
  return figures === "present"
    ? `${SIGNS[provenance]} ${figure(busy)} of ${of} busy`
    : `last known ${figure(busy)} of ${of} busy`;
}

/** Ways by count: which ones they are is the host's affair. */
function Llc(props: { host: HostView; node: number; nfs: readonly NfView[]; letters: Letters; w: number }): ReactNode {
  const { host, node, nfs, letters, w } = props;
  const shares = llcShares(nfs, node, letters);
  const ways = host.inventory?.nodes.find(({ id }) => id === node)?.llc?.ways ?? 0;
  const from = 96;
  const pitch = ways > 0 ? Math.min(22, (w - from - 48) / ways) : 0;
  return (
    <g transform="translate(0 58)">
      <text className="title" x={0} y={4}>
        L3, as reported
      </text>
      <text x={96} y={4}>
        {llcText(host, node)}
      </text>
      {shares.map(({ chain, ways: own }, row) => (
        <g key={chain} transform={`translate(0 ${14 + row * FRAME.llcRow})`}>
          <LlcName chain={chain} letters={letters} />
          {Array.from({ length: ways }, (_, way) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the ways are their indices
              key={way}
              className={way < own ? `part chain-${(letters.get(chain) ?? "").toLowerCase()}` : "empty"}
              x={from + way * pitch}
              y={0}
              width={Math.max(1, pitch - 2)}
              height={13}
            />
          ))}
          <text x={w} y={11} textAnchor="end">
            {own} of {ways}
          </text>
        </g>
      ))}
    </g>
  );
}

function LlcName({ chain, letters }: { chain: string; letters: Letters }): ReactNode {
  const letter = letters.get(chain);
  return (
    <>
      {letter && <Tag x={6} y={6.5} tag={letter} letter={letter} />}
      <text className="strong" x={18} y={11}>
        {chain.length > 12 ? `${chain.slice(0, 11)}…` : chain}
      </text>
    </>
  );
}
