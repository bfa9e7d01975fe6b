/** The way back from an operation: a plan like any other, looked at before it is applied. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { askForPlan } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { Operation } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

/** More hosts than this are undone together, or by the command. */
const MOST = 8;

export function UndoSection({ operation }: { operation: Operation }): ReactNode {
  const navigate = useNavigate();
  const ask = useMutation({
    mutationFn: (hosts: string[]) =>
      askForPlan({ kind: "restore", operation_id: operation.id, hosts }, DEFAULT_SOLVING),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  const reason = useActReason("plans.apply") ?? (ask.isPending ? "A plan is being made." : null) ?? whyNot(operation);
  const { hosts } = operation;
  const all = { operation_id: operation.id, hosts: [], kind: "restore" } as const;
  return (
    <Section title="Undo" note="plans the way back; nothing changes until you apply the plan" padded>
      <div className="actions-list">
        <div className="actions-grid">
          {hosts.length > 1 && (
            <>
              <Button onClick={() => ask.mutate([])} reason={reason} reasonSide="below-left">
                Undo on all {hosts.length} hosts
              </Button>
              <span className="t2">what its chains were before the operation</span>
            </>
          )}
          {ofOneHost(operation).map(({ host, from_generation }) => (
            <Fragment key={host}>
              <Button onClick={() => ask.mutate([host])} reason={reason} reasonSide="below-left">
                Back to generation {from_generation}
              </Button>
              <span className="t2">{host}: its chains as before, under a new generation</span>
            </Fragment>
          ))}
        </div>
        {ask.error && <ProblemNote problem={asProblem(ask.error)} onDismiss={() => ask.reset()} />}
        <CopyButton
          text={cli.askPlan({ ...all, hosts: [] }, DEFAULT_SOLVING)}
          curl={curls.askPlan({ ...all, hosts: [] }, DEFAULT_SOLVING)}
        />
      </div>
    </Section>
  );
}

/** Hosts that can be undone alone: a chain that moved between two goes back on both, and lanes divide flows together. */
function ofOneHost({ kind, hosts }: Operation): Operation["hosts"] {
  return kind === "relocate" || kind === "lanes" ? [] : hosts.slice(0, MOST);
}

function whyNot({ state, kind }: Operation): string | null {
  if (state !== "COMPLETED") return "Only a completed operation can be undone.";
  return kind === "remove" ? "It removed a chain, which is now deleted; submit it again." : null;
}
