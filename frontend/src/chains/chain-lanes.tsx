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
import { laneFaults, laneShare, lanesOf, laneTotal } from "./lanes";

export function ChainLanes({ lane }: { lane: Lane }): ReactNode {
  const lanes = useLiveList(({ chains }) => lanesOf(chains.values(), lane.of).map((row) => row.chain));
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
          {rows.map(({ chain, lane: { number, ...rest } }) => (
            <tr key={chain.spec.name}>
              <td>
                <span className="t3">{number}</span>{" "}
                <Link to="/chains/$name" params={{ name: chain.spec.name }}>
                  {chain.spec.name}
                </Link>
              </td>
              <td>
                <StateText look={chainLook(chain)} />
              </td>
              <td>{[...new Set(chain.placement.map(({ seat }) => seat.host))].join(", ")}</td>
              <td className="num">{percent(laneShare({ number, ...rest }))}</td>
              <td className="num">{figure(chain.sample?.offered_mpps)}</td>
              <td className="num">
                {chain.sample && <Mark origin={chain.provenance} />}
                {figure(chain.sample?.delivered_mpps)}
              </td>
              <td className="num">{figure(chain.sample?.drop_mpps)}</td>
            </tr>
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
