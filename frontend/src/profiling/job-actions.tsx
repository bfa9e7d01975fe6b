/** What may be asked of a job, each with its effect beside it or the reason why not; what was refused stands below. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Fragment, type ReactNode } from "react";
import { steerProfiling } from "@/api/actions";
import { PROFILING } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import type { JobAction, ProfilingJob } from "@/api/types";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { ProblemNote } from "@/ui/problem-note";

const LABELS: Record<JobAction, string> = { pause: "Pause", resume: "Resume", retry: "Retry", cancel: "Cancel" };
const ORDER: readonly JobAction[] = ["pause", "resume", "retry", "cancel"];

export function JobActions({ job }: { job: ProfilingJob }): ReactNode {
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: (action: JobAction) => steerProfiling(job.id, action),
    onSettled: () => void client.invalidateQueries({ queryKey: PROFILING }),
  });
  const blocked = useActReason("profiling.run") ?? (act.isPending ? "The order is being sent." : null);
  return (
    <div className="actions-list">
      <div className="actions-grid">
        {ORDER.map((action) => {
          const offer = job.actions?.find((each) => each.action === action);
          const cause = offer?.reason ?? "The console does not offer it now.";
          const reason = offer?.allowed ? blocked : cause;
          return (
            <Fragment key={action}>
              <Button
                look={action === "cancel" ? "danger" : "plain"}
                onClick={() => act.mutate(action)}
                reason={reason}
                reasonSide="below-left"
              >
                {LABELS[action]}
              </Button>
              <span className={reason ? "t3" : "t2"}>{cause}</span>
            </Fragment>
          );
        })}
      </div>
      {act.error && <ProblemNote problem={asProblem(act.error)} onDismiss={() => act.reset()} />}
    </div>
  );
}
