/** Asks for plans by sfc2cpu's assigners: where newcomers go, and what runs on a host with at most a few moves. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { PlanIntent } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import { assignerQuery } from "@/api/sfc2cpu-queries";
import type { OfferedAssigner, Solving } from "@/api/types";
import { useLive } from "@/live/store";
import { AskPlan, useAskPlan } from "@/plans/ask-plan";
import { useActReason } from "@/session/permission";
import { ProblemNote } from "@/ui/problem-note";
import { placing } from "./words";

/** By the costs that were fitted on hosts where these hold; else by loads alone, so that no core is asked for less at
 * its fullest: the API says which, and why. Until it has, by loads. */
const by = (assigner: OfferedAssigner | undefined): Solving => ({
  ...DEFAULT_SOLVING,
  algorithm: assigner?.algorithm ?? "min_max",
});
/** Newcomers move nobody, and a re-balance no more than these, unless the options say so. */
const MOST_MOVES = 2;

export function AssignNewcomers(): ReactNode {
  const chains = useLive((state) => state.chains);
  const { data: assigner } = useQuery(assignerQuery());
  const waiting = [...chains.values()].filter(({ state }) => state === "submitted").map(({ spec }) => spec.name);
  const intent = placing(waiting.toSorted());
  return (
    <Ask
      label="Assign newcomers"
      title="Assign newcomers to cores"
      intent={intent}
      solving={by(assigner)}
      why={intent === null ? "No chain waits for a place." : null}
    />
  );
}

export function Rebalance({ host, assigner }: { host: string; assigner: OfferedAssigner | undefined }): ReactNode {
  const nfs = useLive((state) => state.nfs.get(host)?.size ?? 0);
  return (
    <Ask
      label="Re-balance"
      title={`Re-balance ${host}`}
      intent={{ kind: "replace", host, keep: [] }}
      solving={{ ...by(assigner), max_moves: MOST_MOVES }}
      why={nfs === 0 ? `No chain runs on ${host}: there is nothing to re-balance.` : null}
    />
  );
}

function Ask(props: {
  label: string;
  title: string;
  intent: PlanIntent | null;
  solving: Solving;
  why: string | null;
}): ReactNode {
  const { why, ...asked } = props;
  const reason = useActReason("plans.apply");
  const ask = useAskPlan(asked.intent);
  return (
    <>
      {ask.error && <ProblemNote problem={asProblem(ask.error)} onDismiss={() => ask.reset()} />}
      <AskPlan {...asked} ask={ask} reason={reason ?? why} />
    </>
  );
}
