/** Decide on the plan: apply exactly this digest, reject it, or plan again; what went wrong stands above the buttons. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { applyPlan, askForPlan, rejectPlan } from "@/api/actions";
import { asProblem, problemKind } from "@/api/problem";
import { planQuery } from "@/api/queries";
import type { Plan } from "@/api/types";
import { cli } from "@/app/cli";
import { useActReason } from "@/app/permission";
import { count, shortDigest } from "@/lib/format";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { againReason, applyReason } from "./applicable";
import { Difference } from "./difference";

export function PlanBar({ plan }: { plan: Plan }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const refresh = () => void client.invalidateQueries(planQuery(plan.id));
  const apply = useMutation({
    mutationFn: () => applyPlan(plan.id, plan.digest ?? ""),
    onSuccess: ({ id }) => void navigate({ to: "/operations/$operationId", params: { operationId: String(id) } }),
    onSettled: refresh,
  });
  const reject = useMutation({ mutationFn: () => rejectPlan(plan.id), onSettled: refresh });
  const again = useMutation({
    mutationFn: async () => {
      if (plan.intent.kind === "remove") throw new Error(againReason(plan) ?? "");
      return askForPlan(plan.intent);
    },
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  const error = apply.error ?? reject.error ?? again.error;
  const problem = error ? asProblem(error) : null;
  const stale = problem !== null && problemKind(problem) === "stale-plan";
  const blocked = useActReason() ?? (apply.isPending || reject.isPending ? "The order is on its way." : null);
  const changes = plan.body?.changes.length ?? 0;
  const hosts = plan.body?.base.length ?? 0;
  const decided = plan.state === "proposed" ? null : applyReason(plan);
  const replan = (
    <Button onClick={() => again.mutate()} reason={blocked ?? againReason(plan)} reasonSide="above">
      {stale ? "Plan again" : "Re-plan"}
    </Button>
  );
  return (
    <>
      {problem && (
        <ProblemNote
          problem={stale ? { ...problem, difference: null } : problem}
          onDismiss={() => {
            apply.reset();
            reject.reset();
            again.reset();
          }}
        >
          {stale && <Difference difference={problem.difference} />}
        </ProblemNote>
      )}
      <div className="apply-bar">
        <div>
          <b className="strong">{count(changes, "change")}</b> on {count(hosts, "host")}
          <div className="t2">
            exactly the digest <span className="mono">{shortDigest(plan.digest)}</span>, or refused
          </div>
        </div>
        <div className="end">
          <CopyButton text={cli.applyPlan(plan.id)} />
          <Button look="danger" onClick={() => reject.mutate()} reason={blocked ?? decided} reasonSide="above">
            Reject
          </Button>
          {replan}
          <Button
            look="primary"
            onClick={() => apply.mutate()}
            reason={blocked ?? applyReason(plan)}
            reasonSide="above"
          >
            Apply {count(changes, "change")}
          </Button>
        </div>
      </div>
    </>
  );
}
