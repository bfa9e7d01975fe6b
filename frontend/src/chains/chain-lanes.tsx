/** The lanes of the chain that this one is a lane of: what each carries, and all of them together. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { Lane } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { useLiveList } from "@/live/store";
import { chainLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type LaneRow, laneFaults, laneFigures, laneShare, lanesOf, laneTotal } from "./lanes";

export function ChainLanes({ lane }: { lane: Lane }): ReactNode {
  const lanes = useLiveList(({ chains }) => lanesOf(chains.values(), lane.of).flatMap((row) => row.parts));
  const rows = useMemo(() => lanesOf(lanes, lane.of), [lanes, lane.of]);
  const total = laneTotal(rows);
  return (
    <Section title={`Lanes of ${lane.of}`} note="each flow goes by one of them">
      {laneFaults(rows).map((fault) => (
        <p key={fault} className="bad">
          <Shape name="bad" />
          {fault}
        </p>
      ))}
      <table aria-label={`Lanes of ${lane.of}`}>
        <thead>
          <tr>
            <th scope="col">Lane</th>
            <th scope="col">State</th>
            <th scope="col">Hosts</th>
            <th scope="col" className="num" title="Of the flows, by its weight">
              Share, %
            </th>
            <th scope="col" className="num">
              Offered, Mpps
            </th>
            <th scope="col" className="num">
              Carried, Mpps
            </th>
            <th scope="col" className="num">
              Drops, Mpps
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <LaneLine key={row.chain.spec.name} row={row} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={4}>
              All lanes
            </th>
            <td className="num">{total.offered}</td>
            <td className="num">{total.delivered}</td>
            <td className="num">{total.dropped}</td>
          </tr>
        </tfoot>
      </table>
    </Section>
  );
}

function LaneLine({ row }: { row: LaneRow }): ReactNode {
  const { chain, lane, parts } = row;
  const { offered, delivered, dropped } = laneFigures(row);
  const hosts = parts.flatMap(({ placement }) => placement.map(({ seat }) => seat.host));
  return (
    <tr>
      <td>
        <span className="t3">{lane.number}</span>{" "}
        <Link to="/chains/$name" params={{ name: chain.spec.name }}>
          {chain.spec.name}
        </Link>
      </td>
      <td>
        <StateText look={chainLook(chain)} />
      </td>
      <td>{[...new Set(hosts)].join(", ")}</td>
      <td className="num">{percent(laneShare(lane))}</td>
      <td className="num">{figure(offered)}</td>
      <td className="num">
        {delivered !== null && <Mark origin={chain.provenance} />}
        {figure(delivered)}
      </td>
      <td className="num">{figure(dropped)}</td>
    </tr>
  );
}
