/** Where each NF of a chain stands, and how it does there. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainView, NfView } from "@/api/types";
import { lossPercent } from "@/fleet/layers";
import { tiedWords } from "@/fleet/ties";
import { useTies } from "@/fleet/use-ties";
import { utilisedText } from "@/fleet/utilisation";
import { ageOrTime, figure, percent } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { nfLook } from "@/states/derived";
import { StateText } from "@/states/state-text";

/** `whole`: a chain, or all parts of one in their order. */
export function PlacementTable(props: {
  whole: readonly [ChainView, ...ChainView[]];
  nfs: ReadonlyMap<string, NfView>;
}): ReactNode {
  const { whole, nfs } = props;
  const now = useNow();
  const tied = useTies();
  const placed = new Map(whole.flatMap(({ placement }) => placement).map((each) => [each.nf_id, each]));
  const rows = whole.flatMap(({ spec }) => spec.nfs.map((nf) => ({ ...nf, id: `${spec.name}.${nf.name}` })));
  return (
    <table aria-label={`NFs of ${whole[0].spec.name}`}>
      <thead>
        <tr>
          <th scope="col">NF</th>
          <th scope="col">Type</th>
          <th scope="col">Host/node/core</th>
          <th scope="col">State</th>
          <th scope="col" className="num">
            Utilisation, %
          </th>
          <th scope="col" className="num" title="How much more it could carry before it drops packets">
            Headroom, Mpps
          </th>
          <th scope="col" className="num">
            Mpps out
          </th>
          <th scope="col" className="num">
            Drops, %
          </th>
          <th scope="col" className="num">
            Filtered, Mpps
          </th>
          <th scope="col" className="second-rank">
            Here since
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, ...spec }, index) => {
          const seat = placed.get(id)?.seat;
          const nf = nfs.get(id);
          const sample = nf?.sample;
          const tie = tiedWords(spec.tied, tied.get(id));
          return (
            <tr key={id}>
              <td>
                <span className="t3">{index + 1}</span> {spec.name}
                {tie && <span className="t3">, {tie}</span>}
              </td>
              <td className="t2">{spec.type}</td>
              <td>
                {seat ? (
                  <Link to="/hosts/$id" params={{ id: seat.host }} search={{ pin: `${seat.core}/${seat.slot ?? 0}` }}>
                    {seat.host}/{seat.node}/{seat.core}
                  </Link>
                ) : (
                  <span className="t3">not placed</span>
                )}
              </td>
              <td>{nf ? <StateText look={nfLook(nf)} /> : "–"}</td>
              <td className="num">{utilisedText(sample)}</td>
              <td className="num">{figure(sample?.headroom_mpps)}</td>
              <td className="num">{figure(sample?.tx_mpps)}</td>
              <td className="num">{sample ? percent(lossPercent(sample)) : "–"}</td>
              <td className="num">{figure(sample?.filtered_mpps)}</td>
              <td className="second-rank t2">{nf ? ageOrTime(nf.since, now) : "–"}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
