/** Decide on the plan: apply exactly this digest, reject it, or plan again; what went wrong stands above the buttons. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { applyPlan, rejectPlan } from "@/api/actions";
import { asProblem, problemKind } from "@/api/problem";
import { planQuery } from "@/api/queries";
import type { Plan } from "@/api/types";
import { count, shortDigest } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { againReason, applyReason, effectText, intentAgain, isDecided, isPreview, neverApplied } from "./applicable";
import { ConfirmApply, DoubtsLine, planDoubts } from "./apply-doubts";
import { AskPlan, useAskPlan } from "./ask-plan";
import { Difference } from "./difference";
import { allowing, interruptionOf } from "./handover";
import { HostsAtOnce } from "./hosts-at-once";
import { subjectOf } from "./words";
import { WorseLine } from "./worse";

export function PlanBar({ plan }: { plan: Plan }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [atOnce, setAtOnce] = useState<number | null>(null);
  const loss = interruptionOf(plan.body);
  const budget = loss && allowing(loss);
  const refresh = () => void client.invalidateQueries(planQuery(plan.id));
  const apply = useMutation({
    mutationFn: () => applyPlan(plan.id, plan.digest ?? "", atOnce, budget),
    onSuccess: ({ id }) => void navigate({ to: "/operations/$operationId", params: { operationId: String(id) } }),
    onSettled: refresh,
  });
  const reject = useMutation({ mutationFn: () => rejectPlan(plan.id), onSettled: refresh });
  const intent = intentAgain(plan);
  const again = useAskPlan(intent);
  const error = apply.error ?? reject.error ?? again.error;
  const problem = error ? asProblem(error) : null;
  const stale = problem !== null && problemKind(problem) === "stale-plan";
  const blocked =
    useActReason("plans.apply") ?? (apply.isPending || reject.isPending ? "The order is being sent." : null);
  const changes = plan.body === null ? "0 changes" : effectText(plan.body);
  const hosts = plan.body?.base.length ?? 0;
  const never = againReason(plan);
  const doubts = planDoubts(plan);
  const brakes = doubts !== null && doubts.distrusted.length > 0 && plan.state === "proposed";
  const asks = brakes || (loss !== null && plan.state === "proposed");
  const [asking, setAsking] = useState(false);
  const looked = neverApplied(plan) !== null;
  const over = isDecided(plan);
  const reasonNot = applyReason(plan);
  const decided = plan.state === "proposed" && !looked ? null : reasonNot;
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
        {plan.state === "proposed" && <WorseLine body={plan.body} />}
        <div>
          <b className="strong">{changes}</b> on {count(hosts, "host")}
          <div className="t2">
            {looked ? (
              `of ${isPreview(plan) ? "the fleet as it would be" : "the file's fleet"}; it cannot be applied`
            ) : over ? (
              reasonNot
            ) : (
              <>
                exactly the digest <span className="mono">{shortDigest(plan.digest)}</span>, or it is refused
              </>
            )}
          </div>
          {decided === null && <DoubtsLine doubts={doubts} />}
        </div>
        {decided === null && <HostsAtOnce hosts={hosts} value={atOnce} onChange={setAtOnce} />}
        <div className="end">
          <CopyButton
            text={looked || over ? cli.showPlan(plan.id) : cli.applyPlan(plan.id, brakes, atOnce, budget)}
            curl={
              looked || over || plan.digest == null
                ? curls.showPlan(plan.id)
                : curls.applyPlan(plan.id, plan.digest, atOnce, budget)
            }
          />
          {!over && (
            <Button look="danger" onClick={() => reject.mutate()} reason={blocked ?? decided} reasonSide="above">
              Reject
            </Button>
          )}
          {never ? (
            <Button reason={never} reasonSide="above">
              Re-plan
            </Button>
          ) : (
            <AskPlan
              label={stale ? "Plan again" : "Re-plan"}
              title={subjectOf(plan)}
              intent={intent}
              solving={plan.solving}
              ask={again}
              reason={blocked}
              side="above"
            />
          )}
          {!over && (
            <Button
              look="primary"
              onClick={() => (asks ? setAsking(true) : apply.mutate())}
              reason={blocked ?? reasonNot}
              reasonSide="above"
            >
              Apply {changes}
            </Button>
          )}
        </div>
      </div>
      {asks && (
        <ConfirmApply
          open={asking}
          plan={plan}
          doubts={brakes ? doubts : null}
          loss={loss}
          action={`Apply ${changes} anyway`}
          busy={apply.isPending}
          onConfirm={() => {
            setAsking(false);
            apply.mutate();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
