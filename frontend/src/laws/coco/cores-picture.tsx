/** A host's cores as columns: blocks are as high as what NFs need, filled as far as they use it; a push is outlined. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CocoHost } from "@/api/types";
import { ChainTag } from "@/hosts/chain-tag";
import type { Letters } from "@/hosts/letters";
import { figure, percent } from "@/lib/format";
import { Shape } from "@/ui/marks";
import {
  arcsOf,
  type CoreBlock,
  type CoreColumn,
  columnsOf,
  type Ghost,
  type HopArc,
  type HopSum,
  hopsOf,
  lettersOf,
  type OtherCore,
  otherCoresOf,
  topOf,
  widthOf,
} from "./picture-geometry";
import { needText, shareText, tieText } from "./words";

const ARROW_PX = 7;

export function CoresPicture({ host }: { host: CocoHost }): ReactNode {
  const columns = columnsOf(host);
  const top = topOf(columns);
  const letters = lettersOf(host.cores);
  const hops = hopsOf(host.hops);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard */}
      <section className="coco-picture" aria-label={`Cores of ${host.host}, scrolls sideways`} tabIndex={0}>
        <ul className="coco-cores" aria-label={`Cores of ${host.host}`}>
          {columns.map((column) => (
            <Column key={column.core.core} of={column} full={100 * host.full} top={top} letters={letters} />
          ))}
          {otherCoresOf(host).map((other) => (
            <OtherColumn key={`${other.host} ${other.core}`} of={other} top={top} letters={letters} />
          ))}
        </ul>
        <HopArcs arcs={arcsOf(hops, columns)} width={widthOf(columns.length)} />
      </section>
      <p className="section-body t3">
        Line: what a core can give, {percent(100 * host.full)} % of its time. Block: what an NF needs to carry what its
        chain is offered; filled: what it uses. Dashed: where a recommended push would put it, or a new lane start it.
        Grey at the foot: source, sink and other work. Arc: packets that pass from core to core, the wider the more.
      </p>
      <Hops hops={hops} />
    </>
  );
}

/** Of another host: what it holds already is on that host's page. */
function OtherColumn({ of, top, letters }: { of: OtherCore; top: number; letters: Letters }): ReactNode {
  return (
    <li className="coco-core">
      <div className="coco-column">
        {of.ghosts.map((ghost) => (
          <GhostBlock key={ghost.nf_id} of={ghost} height={`${(100 * ghost.height) / top}%`} letters={letters} />
        ))}
      </div>
      <b className="strong">
        Core {of.core} <span className="t3">of</span>
      </b>
      <Link to="/hosts/$id" params={{ id: of.host }}>
        {of.host}
      </Link>
    </li>
  );
}

interface ColumnProps {
  readonly of: CoreColumn;
  readonly full: number;
  readonly top: number;
  readonly letters: Letters;
}

function Column({ of, full, top, letters }: ColumnProps): ReactNode {
  const { core, blocks, ghosts, others, over } = of;
  const scaled = (percent: number) => `${(100 * percent) / top}%`;
  return (
    <li className={over > 0 ? "coco-core over" : "coco-core"}>
      <div className="coco-column">
        <i className="coco-full" style={{ bottom: scaled(full) }} aria-hidden="true" />
        <i className="coco-others" style={{ height: scaled(others) }} title={`others: ${percent(others)} %`} />
        {blocks.map((block) => (
          <Block key={block.nf.nf_id} of={block} height={scaled(block.height)} letters={letters} />
        ))}
        {ghosts.map((ghost) => (
          <GhostBlock key={ghost.nf_id} of={ghost} height={scaled(ghost.height)} letters={letters} />
        ))}
      </div>
      <b className="strong">
        Core {core.core} <span className="t3">node {core.node}</span>
      </b>
      <span className={over > 0 ? "bad" : "t2"}>
        {over > 0 && <Shape name="bad" />}
        {core.needs === null ? "not measured" : `${shareText(core.needs)} needed`}
      </span>
    </li>
  );
}

function Block({ of, height, letters }: { of: CoreBlock; height: string; letters: Letters }): ReactNode {
  const { nf, used, grown, ends } = of;
  const leaves = nf.goes_to !== null;
  const state = grown ? " grown" : leaves || ends ? " leaves" : "";
  return (
    <div
      className={`coco-block${state}${colourOf(nf.chain, letters)}`}
      style={{ height }}
      title={`${nf.nf_id} (${nf.nf_type}): ${needText(nf)}${leaves ? `; goes to core ${nf.goes_to}` : ""}${tieText(nf)}`}
    >
      <i style={{ height: `${used}%` }} aria-hidden="true" />
      <ChainTag chain={nf.chain} letters={letters} />
      <Link to="/chains/$name" params={{ name: nf.chain }}>
        {nf.nf_id}
      </Link>
      <span className="hidden-text">
        {needText(nf)}
        {grown && "; grew most"}
        {leaves && `; would go to core ${nf.goes_to}`}
        {ends && "; would go with its lane"}
        {tieText(nf)}
      </span>
    </div>
  );
}

function GhostBlock({ of, height, letters }: { of: Ghost; height: string; letters: Letters }): ReactNode {
  return (
    <div
      className={`coco-block ghost${colourOf(of.chain, letters)}`}
      style={{ height }}
      title={of.from === null ? `${of.nf_id} of a new lane` : `${of.nf_id} from core ${of.from}`}
    >
      <ChainTag chain={of.chain} letters={letters} />
      <span>{of.nf_id}</span>
      {of.from === null && <span className="hidden-text">would start here, in a new lane</span>}
    </div>
  );
}

function colourOf(chain: string, letters: Letters): string {
  const letter = letters.get(chain);
  return letter ? ` chain-${letter.toLowerCase()}` : "";
}

/** The list below says the same in words. */
function HopArcs({ arcs, width }: { arcs: readonly HopArc[]; width: number }): ReactNode {
  if (arcs.length === 0) return null;
  const height = Math.max(...arcs.map(({ depth }) => depth)) + ARROW_PX;
  return (
    <svg className="coco-arcs" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {arcs.map(({ hop, start, end, depth, width: thick }) => (
        <g key={`${hop.from}-${hop.to}`} className={hop.otherNode ? "other-node" : undefined}>
          <title>{hopText(hop)}</title>
          <path
            d={`M${start} 0 C${start} ${(4 / 3) * depth} ${end} ${(4 / 3) * depth} ${end} ${ARROW_PX}`}
            strokeWidth={thick}
          />
          <path className="head" d={`M${end} 0 l-${ARROW_PX} ${ARROW_PX} h${2 * ARROW_PX} Z`} />
        </g>
      ))}
    </svg>
  );
}

function hopText({ from, to, mpps, chains }: HopSum): string {
  return `core ${from} to core ${to}: ${figure(mpps)} Mpps of ${chains.join(", ")}`;
}

function Hops({ hops }: { hops: readonly HopSum[] }): ReactNode {
  if (hops.length === 0) return <p className="section-body t2">No packet passes from core to core.</p>;
  return (
    <ul className="section-body coco-hops" aria-label="Hops between cores">
      {hops.map(({ from, to, chains, mpps, otherNode }) => (
        <li key={`${from}-${to}`}>
          core {from} → core {to}: <b className="strong">{figure(mpps)}</b> Mpps of {chains.join(", ")}
          {otherNode && <span className="warn"> on another node</span>}
        </li>
      ))}
    </ul>
  );
}
