/** The failure banner: what and where, cause, what state things are in, next step, and the buttons beside it. */

import type { ReactNode } from "react";
import type { HostWork, Operation, Problem } from "@/api/types";
import { operationLook } from "@/states/derived";
import { CopyButton } from "@/ui/copy-button";
import { ActionButtons } from "./action-buttons";
import { STEP_TITLES } from "./words";

export function Failure({ operation }: { operation: Operation }): ReactNode {
  const failed = failedStep(operation);
  const problem = operation.error ?? failed?.problem ?? null;
  if (!problem) return null;
  const next = problem.next_actions ?? [];
  return (
    <section className="failure" aria-label="What failed">
      <div>
        <h2>{failed ? `${failed.step} on ${failed.host}: ${lowerFirst(problem.title)}` : problem.title}</h2>
        <dl>
          <dt>Cause</dt>
          <dd>{problem.detail}</dd>
          <dt>State</dt>
          <dd>{operation.hosts.map(stateOf).join(" ")}</dd>
          {next.length > 0 && <dt>Next step</dt>}
          {next.map((action) => (
            <dd key={action.label} style={{ gridColumn: 2 }}>
              {action.label} {action.command && <code className="command">{action.command}</code>}
            </dd>
          ))}
        </dl>
        <CopyButton text={JSON.stringify(problem, null, 2)} label="Copy" />
      </div>
      <ActionButtons operation={operation} urgent={operation.state === "FAILED_TEMP"} />
    </section>
  );
}

function failedStep(operation: Operation): { host: string; step: string; problem: Problem } | null {
  for (const work of operation.hosts) {
    for (const step of work.steps) {
      if (step.error && step.state === "failed") {
        return { host: work.host, step: STEP_TITLES[step.name], problem: step.error };
      }
    }
  }
  return null;
}

/** "edge-1: 2 of 4 steps done, stopped, needs attention." */
export function stateOf(work: HostWork): string {
  const done = work.steps.filter((step) => step.state === "done").length;
  return `${work.host}: ${done} of ${work.steps.length} steps done, ${operationLook(work).words}.`;
}

/** A headline goes on after a colon in lower case, unless its first word is a name or an abbreviation. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
