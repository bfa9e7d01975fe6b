/** Asks for a re-placement of the whole fleet, as a plan to review. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { askForPlan } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { useActReason } from "@/app/permission";
import { useLive } from "@/live/store";
import { Button } from "@/ui/button";

export function ReplaceFleet(): ReactNode {
  const navigate = useNavigate();
  const chains = useLive((state) => state.chains.size);
  const reason = useActReason();
  const plan = useMutation({
    mutationFn: () => askForPlan({ kind: "replace" }),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  const blocked = reason ?? (chains === 0 ? "No chain is placed: there is nothing to re-place." : null);
  return (
    <>
      {plan.error && (
        <span className="bad" role="alert">
          {asProblem(plan.error).title}. {asProblem(plan.error).detail}
        </span>
      )}
      <Button onClick={() => plan.mutate()} reason={plan.isPending ? "A plan is being made." : blocked}>
        Re-place fleet
      </Button>
    </>
  );
}
