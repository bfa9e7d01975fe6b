/** A chain over several hosts from left to right: hosts as boxes with their NFs, and what goes from each to the next. */

import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { PathHop, Transit } from "@/api/types";
import { duration, figure, latency } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { transitWords } from "./chain-path";
import { type PartRow, silentFor, slowestOf, transitsOf } from "./parts";

export function PathPicture({ rows, now }: { rows: readonly PartRow[]; now: number }): ReactNode {
  const slowest = slowestOf(rows, now);
  const to = new Map(transitsOf(rows, now).map((transit) => [transit.to, transit]));
  return (
    <ol className="path-picture" aria-label="Hosts that packets pass, in order">
      <li className="t2">in</li>
      {rows.map((row) => (
        <Fragment key={row.chain.spec.name}>
          <Flow mpps={row.chain.sample?.offered_mpps} transit={to.get(firstOf(row))} />
          <li>
            <HostBox row={row} now={now} slowest={slowest} />
          </li>
        </Fragment>
      ))}
      <Flow mpps={rows.at(-1)?.chain.sample?.delivered_mpps} transit={to.get(null)} />
      <li className="t2">out</li>
    </ol>
  );
}

/** Its first NF's id. */
function firstOf({ chain: { spec } }: PartRow): string {
  const [first] = spec.nfs;
  return `${spec.name}.${first?.name ?? first?.type}`;
}

/** `transit`: from the NF before; none where packets enter. */
function Flow({ mpps, transit }: { mpps: number | undefined; transit: Transit | undefined }): ReactNode {
  return (
    <li className="path-flow">
      <span className="num t2">{figure(mpps)} Mpps</span>
      {transit && <span className="num t2">{transitWords(transit)}</span>}
      <span aria-hidden="true" className="path-arrow" />
    </li>
  );
}

function HostBox({ row, now, slowest }: { row: PartRow; now: number; slowest: PathHop | null }): ReactNode {
  const { chain } = row;
  const host = chain.spec.ingress?.host ?? "";
  const silent = silentFor(chain, now);
  const hops = new Map((chain.sample?.path ?? []).map((hop) => [hop.nf_id, hop]));
  return (
    <div className={`path-host ${silent === null ? "" : "stale"}`}>
      <div className="path-host-head">
        <Link to="/hosts/$id" params={{ id: host }}>
          {host}
        </Link>
        {silent !== null && (
          <span className="nowrap">
            <Shape name="stale" />
            stale, {duration(silent)}
          </span>
        )}
      </div>
      <ul>
        {chain.spec.nfs.map(({ name, type }) => (
          <NfLine key={name} name={name ?? type} hop={hops.get(`${chain.spec.name}.${name}`)} slowest={slowest} />
        ))}
      </ul>
    </div>
  );
}

function NfLine(props: { name: string; hop: PathHop | undefined; slowest: PathHop | null }): ReactNode {
  const { name, hop, slowest } = props;
  const isSlowest = hop !== undefined && hop.nf_id === slowest?.nf_id;
  return (
    <li className={isSlowest ? "path-nf slowest" : "path-nf"}>
      <span className={isSlowest ? "strong" : undefined}>{name}</span>
      <span className="num">{hop?.p95_us == null ? <span className="t3">no packet</span> : latency(hop.p95_us)}</span>
      {isSlowest && <span className="warn nowrap">slowest</span>}
    </li>
  );
}
