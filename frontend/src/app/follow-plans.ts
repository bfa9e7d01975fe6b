/** Refetches a plan when the stream says that its state changed. */

import type { QueryClient } from "@tanstack/react-query";
import type { PlanBrief } from "@/api/types";
import { live } from "@/live/store";

export function followPlans(client: QueryClient): () => void {
  let known: ReadonlyMap<number, PlanBrief> = live.getState().plans;
  return live.subscribe(() => {
    const { plans } = live.getState();
    if (plans === known) return;
    for (const [id, plan] of plans) {
      if (known.get(id)?.state !== plan.state) void client.invalidateQueries({ queryKey: ["plan", id] });
    }
    known = plans;
  });
}
