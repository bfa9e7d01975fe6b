/** What packets cost on a host beside others, as last fitted: how far off that is and how old; a way to fit it, how
 * far that is, and why it did not work. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { fitHostCost } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { sharedCoresQuery } from "@/api/sfc2cpu-queries";
import type { HostCostFit, SharingHost } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { assignerText, costErrorText, costSourceText, driftText, fitProgressText } from "./words";

export function HostCosts({ host: { host, cost, fit, assigner } }: { host: SharingHost }): ReactNode {
  const client = useQueryClient();
  const denied = useActReason("models.promote");
  const order = useMutation({
    mutationFn: () => fitHostCost(host),
    onSuccess: () => client.invalidateQueries({ queryKey: sharedCoresQuery(host).queryKey }),
  });
  const now = useNow();
  const making = fit?.state === "fitting";
  return (
    <div className="section-body">
      {order.error && <ProblemNote problem={asProblem(order.error)} onDismiss={() => order.reset()} />}
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
          <Button
            reason={denied ?? (making || order.isPending ? "Costs are being fitted." : null)}
            onClick={() => order.mutate()}
          >
            Fit costs
          </Button>{" "}
          <CopyButton text={cli.fitHostCost(host)} curl={curls.fitHostCost(host)} />
          {fit && fit.state !== "done" && <UnderWay fit={fit} />}
        </dd>
        <dt>Re-balance goes by</dt>
        <dd>{assignerText(assigner)}</dd>
      </dl>
    </div>
  );
}

/** A fit that is being made, or did not work: whoever asked for it, and from wherever. */
function UnderWay({ fit }: { fit: HostCostFit }): ReactNode {
  const now = useNow();
  const asked = `Fit ${fit.id}, requested by ${fit.asked_by}, ${ageOrTime(fit.asked_at, now)},`;
  if (!fit.error) {
    return (
      <p className="t2" role="status">
        {asked} {fitProgressText(fit)}.
      </p>
    );
  }
  return (
    <p className="warn" role="status">
      {asked} failed: {fit.error.detail}{" "}
      {fit.error.next_actions?.map(({ label, command }) => (
        <span key={label}>
          {label}. {command && <code className="command">{command}</code>}
        </span>
      ))}
    </p>
  );
}
