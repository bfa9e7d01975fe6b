/** What packets cost on a host beside others, as last fitted: how far off that is and how old; and a way to fit it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { fitHostCost } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { sharedCoresQuery } from "@/api/sfc2cpu-queries";
import type { SharingHost } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { assignerText, costErrorText, costSourceText, driftText } from "./words";

export function HostCosts({ host: { host, cost, assigner } }: { host: SharingHost }): ReactNode {
  const client = useQueryClient();
  const denied = useActReason("models.promote");
  const fit = useMutation({
    mutationFn: () => fitHostCost(host),
    onSuccess: () => client.invalidateQueries({ queryKey: sharedCoresQuery(host).queryKey }),
  });
  const now = useNow();
  return (
    <div className="section-body">
      {fit.error && <ProblemNote problem={asProblem(fit.error)} onDismiss={() => fit.reset()} />}
      <dl className="facts" aria-label={`Costs beside others on ${host}`}>
        <dt>Costs beside others</dt>
        <dd>
          {cost ? (
            <>
              <Mark origin={cost.provenance} /> version {cost.version}, fitted {ageOrTime(cost.fitted_at, now)} by{" "}
              {cost.fitted_by}: {costErrorText(cost)} <span className="t3">{costSourceText(cost)}</span>
              {cost.drifted_at && (
                <span className="warn">
                  {" "}
                  Left {ageOrTime(cost.drifted_at, now)}: {driftText(cost)}
                </span>
              )}
            </>
          ) : (
            "never fitted on this host"
          )}{" "}
          <Button reason={fit.isPending ? "Costs are being fitted." : denied} onClick={() => fit.mutate()}>
            Fit costs
          </Button>{" "}
          <CopyButton text={cli.fitHostCost(host)} curl={curls.fitHostCost(host)} />
        </dd>
        <dt>Re-balance goes by</dt>
        <dd>{assignerText(assigner)}</dd>
      </dl>
    </div>
  );
}
