/** How far the operation is, one mark a step, and who asked for it. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Operation } from "@/api/types";
import { duration, secondsSince, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Section } from "@/ui/section";
import { countSteps } from "./words";

export function Progress({ operation }: { operation: Operation }): ReactNode {
  const steps = operation.hosts.flatMap((work) => work.steps.map((step) => ({ ...step, host: work.host })));
  const { done, running, failed, waiting } = countSteps(steps);
  const parts = [
    `${done} done`,
    running > 0 ? `${running} running` : "",
    failed > 0 ? `${failed} failed` : "",
    waiting > 0 ? `${waiting} waiting` : "",
  ];
  return (
    <Section title="Progress" note={parts.filter(Boolean).join(", ")} padded>
      <div className="progress" aria-hidden="true">
        {steps.map((step) => (
          <i key={`${step.host} ${step.name}`} className={step.state} />
        ))}
      </div>
      <Facts operation={operation} />
    </Section>
  );
}

function Facts({ operation }: { operation: Operation }): ReactNode {
  const now = useNow();
  const took = operation.started_at
    ? (operation.finished_at ? Date.parse(operation.finished_at) - Date.parse(operation.started_at) : 0) / 1000
    : null;
  return (
    <dl className="facts">
      <dt>Plan</dt>
      <dd>
        <Link to="/plans/$planId" params={{ planId: String(operation.plan_id) }}>
          plan {operation.plan_id}
        </Link>
      </dd>
      <dt>Requested by</dt>
      <dd>
        {operation.requested_by}, {when(operation.created_at)}
      </dd>
      <dt>Attempts</dt>
      <dd>
        {operation.attempts}
        {operation.next_attempt_at && !operation.finished_at && `, next at ${when(operation.next_attempt_at)}`}
      </dd>
      <dt>{operation.finished_at ? "Took" : "Runs for"}</dt>
      <dd>
        {operation.started_at === null
          ? "not started"
          : operation.finished_at
            ? duration(took ?? 0)
            : duration(secondsSince(operation.started_at, now))}
      </dd>
      {operation.cancel_requested && (
        <>
          <dt>Cancel</dt>
          <dd>requested; it stops before the next step</dd>
        </>
      )}
      {operation.request_id && (
        <>
          <dt>Request</dt>
          <dd className="mono">{operation.request_id}</dd>
        </>
      )}
    </dl>
  );
}
