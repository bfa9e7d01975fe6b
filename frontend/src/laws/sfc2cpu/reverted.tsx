/** Says that a network was reverted because it was worse, until another one is promoted for as many cores. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { promotionsQuery } from "@/api/sfc2cpu-queries";
import { ageOrTime, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Shape } from "@/ui/marks";
import { newestOfEach, servedText, shortOf } from "./school-words";

export function RevertedBanner(): ReactNode {
  const { data } = useQuery(promotionsQuery());
  const now = useNow();
  return newestOfEach(data?.items ?? []).map(({ id, cores, weights, verdict, ended_at, rests_until }) => {
    if (!verdict) return null;
    const rests = rests_until != null && Date.parse(rests_until) > now;
    return (
      <div className="banner" role="status" key={id}>
        <Shape name="warn" />
        <span>
          Network <span className="mono">{shortOf(weights)}</span> for {cores} cores was reverted{" "}
          {ageOrTime(ended_at, now)}: on{" "}
          <Link to="/automation" search={(old) => ({ ...old, tab: "sfc2cpu", host: verdict.host })}>
            {verdict.host}
          </Link>{" "}
          {servedText(verdict.served)} of the packets came out, where round robin would have served{" "}
          {servedText(verdict.round_robin)}, in three spans of ten seconds one after another. Hosts with {cores} cores
          are assigned by calibrated or min_max again; NFs stand where they stood until they are re-balanced.
          {rests && ` No network is promoted for ${cores} cores before ${when(rests_until)}.`}
        </span>
      </div>
    );
  });
}
