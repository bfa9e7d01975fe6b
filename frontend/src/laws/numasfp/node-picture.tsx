/** A host's nodes side by side, each chain a block: as high as what it is offered, filled as far as it carries it. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { NumasfpHost } from "@/api/types";
import { count, figure } from "@/lib/format";
import { rateText } from "./allocation/words";
import { type Block, type NodeBlocks, nodesOf, spread, topOf } from "./picture-geometry";
import { givenText, sideText } from "./words";

export function NodePicture({ host }: { host: NumasfpHost }): ReactNode {
  const apart = spread(host);
  return (
    <>
      <div className="law-nodes">
        {nodesOf(host).map((one) => (
          <Node key={one.node.node} of={one} />
        ))}
      </div>
      <p className="section-body t3">
        Full height: {figure(topOf(host.chains))} Gbps on the wire. Outline: offered; filled: carried; cells: ways of
        its own.
      </p>
      {apart.length > 0 && (
        <p className="section-body t2">
          On several nodes, and left where they are: {apart.map(({ chain }) => chain).join(", ")}.
        </p>
      )}
    </>
  );
}

function Node({ of }: { of: NodeBlocks }): ReactNode {
  const { node, blocks, local } = of;
  const title = `Node ${node.node}`;
  return (
    <section className={local ? "law-node local" : "law-node"} aria-label={title}>
      <h3>
        {title}
        {local !== null && <span className="t2">{local ? ", local: packets arrive here" : ", remote"}</span>}
      </h3>
      <p className="t3">{totalsText(of)}</p>
      {blocks.length === 0 ? (
        <p className="t3 law-blocks-empty">No chain stands here.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
        <ul className="law-blocks" aria-label={`Chains on node ${node.node}`} tabIndex={0}>
          {blocks.map((block) => (
            <ChainBlock key={block.chain.chain} block={block} ways={node.ways} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** "4 NFs on 14 cores; 9 of 10 ways and 80 % given" */
export function totalsText({ node, nfs, given, percent }: NodeBlocks): string {
  const ways = given === null ? "no ways reported" : `${given} of ${count(node.ways, "way")} given`;
  return `${count(nfs, "NF")} on ${count(node.cores, "core")}; ${ways}${percent === null ? "" : `, ${percent} % of bandwidth`}`;
}

function ChainBlock({ block, ways }: { block: Block; ways: number }): ReactNode {
  const { chain, height, filled, short } = block;
  const side = sideText(chain);
  return (
    <li className={short ? "law-block short" : "law-block"} title={`${chain.chain}: ${rateText(chain)}`}>
      <div className="law-bar">
        {height === null ? (
          <span className="t3">–</span>
        ) : (
          <div className="offered" style={{ height: `${height}%` }}>
            <i style={{ height: `${filled}%` }} />
          </div>
        )}
      </div>
      <div className="law-ways" aria-hidden="true">
        {Array.from({ length: ways }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the ways are their indices
          <i key={at} className={at < (chain.llc_ways ?? 0) ? "own" : ""} />
        ))}
      </div>
      <Link to="/chains/$name" params={{ name: chain.chain }}>
        {chain.chain}
      </Link>
      <span>
        {figure(chain.carried_gbps)} of {figure(chain.rate_gbps)} Gbps
      </span>
      <span className="t2">{givenText(chain)}</span>
      {side && <span className="t3">{side}</span>}
    </li>
  );
}
