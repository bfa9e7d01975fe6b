/** A node's last-level cache in the host picture: a row a chain, a cell a way, filled as far as its lines hold it. */

import type { ReactNode } from "react";
import type { HostView, NfView } from "@/api/types";
import type { Letters } from "./letters";
import { fillings, isByWay, isOpen, type LlcShare, llcOf, llcShares, llcText, shareText, waysOf } from "./llc";
import { Tag } from "./picture-cell";
import { FRAME } from "./picture-measure";

const CELL = 13;
/** Left of the cells: letter and name. Right of them: what is held and given. */
const NAME = 96;
const WORDS = 92;
/** More ways than have room for their numbers are numbered in steps: two digits, and a gap as wide as one. */
const NUMBERED = 18;

export function LlcStrip(props: {
  host: HostView;
  node: number;
  nfs: readonly NfView[];
  letters: Letters;
  w: number;
}): ReactNode {
  const { host, node, nfs, letters, w } = props;
  const shares = llcShares(nfs, node, letters);
  const ways = waysOf(host, node, shares);
  const room = Math.max(0, w - NAME - WORDS);
  const pitch = ways > 0 ? Math.min(22, room / ways) : 0;
  const byWay = isByWay(host, node, shares);
  const nic = llcOf(host, node)?.ways_shared_with_nic ?? 0;
  return (
    <>
      <text className="title" x={0} y={4}>
        LLC
      </text>
      <text x={30} y={4}>
        {llcText(host, node)}
      </text>
      {shares.map((share, row) => (
        <g
          key={share.chain}
          transform={`translate(0 ${14 + row * FRAME.llcRow})`}
          className={chainClass(share, letters)}
        >
          <LlcName chain={share.chain} letters={letters} />
          <g transform={`translate(${NAME} 0)`}>
            <Row share={share} ways={ways} pitch={pitch} room={room} size={llcOf(host, node)?.size_bytes ?? 0} />
            {byWay && ways > nic && nic > 0 && (
              <rect fill="url(#host-ddio)" x={(ways - nic) * pitch} width={nic * pitch - 2} height={CELL} />
            )}
          </g>
          <text className="figure" x={w} y={11} textAnchor="end">
            {shareText(share)}
          </text>
        </g>
      ))}
      {byWay && <WayNumbers ways={ways} pitch={pitch} y={14 + shares.length * FRAME.llcRow + 7} />}
    </>
  );
}

function chainClass({ chain }: LlcShare, letters: Letters): string {
  const letter = letters.get(chain);
  return letter ? `chain-${letter.toLowerCase()}` : "others";
}

function Row(props: { share: LlcShare; ways: number; pitch: number; room: number; size: number }): ReactNode {
  const { share, ways, pitch, room, size } = props;
  if (share.bytes === null) return <Given share={share} ways={ways} pitch={pitch} />;
  if (ways === 0) return <InAll held={share.bytes} w={room} size={size} />;
  return <Ways share={share} ways={ways} pitch={pitch} size={size} />;
}

/** Each way that the chain may fill is filled from below, by the part of it that its lines hold. */
function Ways({ share, ways, pitch, size }: { share: LlcShare; ways: number; pitch: number; size: number }): ReactNode {
  const w = Math.max(1, pitch - 2);
  return fillings(share, ways, size).map((filled, way) => {
    const h = filled * CELL;
    const own = isOpen(share, way, ways);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the ways are their indices
      <g key={way} transform={`translate(${way * pitch} 0)`}>
        <rect className="empty" width={w} height={CELL} />
        <rect className="part" y={CELL - h} width={w} height={h} />
        {own && <rect className="may-fill" x={0.5} y={0.5} width={Math.max(0, w - 1)} height={CELL - 1} />}
      </g>
    );
  });
}

/** Of a cache whose ways are not known: the part of all of it. */
function InAll({ held, w, size }: { held: number; w: number; size: number }): ReactNode {
  return (
    <>
      <rect className="empty" width={w} height={CELL} />
      <rect className="part" width={size > 0 ? Math.min(1, held / size) * w : 0} height={CELL} />
    </>
  );
}

/** Ways by count, where nothing is reported of what they hold: which ones they are is the host's affair. */
function Given({ share, ways, pitch }: { share: LlcShare; ways: number; pitch: number }): ReactNode {
  return Array.from({ length: ways }, (_, way) => (
    <rect
      // biome-ignore lint/suspicious/noArrayIndexKey: the ways are their indices
      key={way}
      className={way < (share.ways ?? 0) ? "part" : "empty"}
      x={way * pitch}
      y={0}
      width={Math.max(1, pitch - 2)}
      height={CELL}
    />
  ));
}

function WayNumbers({ ways, pitch, y }: { ways: number; pitch: number; y: number }): ReactNode {
  const step = pitch >= NUMBERED ? 1 : pitch * 2 >= NUMBERED ? 2 : 4;
  return Array.from({ length: Math.ceil(ways / step) }, (_, index) => (
    <text
      // biome-ignore lint/suspicious/noArrayIndexKey: the ways are their indices
      key={index}
      className="axis"
      x={NAME + index * step * pitch + Math.max(1, pitch - 2) / 2}
      y={y}
      textAnchor="middle"
    >
      {index * step}
    </text>
  ));
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
