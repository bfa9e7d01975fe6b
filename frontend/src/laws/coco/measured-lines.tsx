/** Which measured shares the needs of a host's NFs go by, since when, and where one could be measured. */

import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sharesQuery } from "@/api/share-queries";
import type { CocoHost } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { MeasureShares } from "@/nf-types/measure-shares";
import { lineText } from "@/nf-types/shares";
import { linesOf } from "./words";

export function MeasuredLines({ host }: { host: CocoHost }): ReactNode {
  const now = useNow();
  const lines = linesOf(host.cores);
  const found = useQueries({ queries: lines.map(({ nfType }) => sharesQuery(nfType)) });
  return (
    <table aria-label="What needs go by">
      <thead>
        <tr>
          <th scope="col">NF type</th>
          <th scope="col">What its needs go by</th>
          <th scope="col">In use since</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ nfType, sharesId }, at) => {
          const version = found[at]?.data?.items.find(({ id }) => id === sharesId);
          return (
            <tr key={`${nfType} ${sharesId}`}>
              <th scope="row">
                <Link to="/nf-types/$name" params={{ name: nfType }}>
                  {nfType}
                </Link>
              </th>
              <td>
                {sharesId === null ? (
                  <>
                    the slope of each second <MeasureShares nfType={nfType} hosts={[host.host]} />
                  </>
                ) : (
                  <Link to="/nf-types/$name" params={{ name: nfType }}>
                    shares {sharesId}
                  </Link>
                )}
                {version && <span className="t2">: {lineText(version)}</span>}
              </td>
              <td>{version?.decided_at ? ageOrTime(version.decided_at, now) : ""}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
