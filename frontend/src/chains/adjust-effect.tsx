/** The operation that an adjustment became, in place, and what was measured after it. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainView, Operation } from "@/api/types";
import { figure, instant } from "@/lib/format";
import { useLive } from "@/live/store";
import { operationLook } from "@/states/derived";
import { StateText } from "@/states/state-text";

import { Mark } from "@/ui/marks";

export function AdjustEffect({ chain, operationId }: { chain: ChainView; operationId: number }): ReactNode {
  const operation = useLive((state) => state.operations.get(operationId));
  if (!operation) return <p className="late t2">Operation {operationId} begins.</p>;
  return (
    <div className="adjust-effect" role="status">
      <p>
        <Link to="/operations/$operationId" params={{ operationId: String(operation.id) }}>
          {operation.title}
        </Link>
      </p>
      <Steps operation={operation} />
      <p>
        <StateText look={operationLook(operation)} code={operation.state} />
      </p>
      {operation.error && <p className="bad">{operation.error.detail} Its page says what can be done.</p>}
      {operation.state === "COMPLETED" && <Measured chain={chain} since={operation.finished_at} />}
    </div>
  );
}

function Steps({ operation }: { operation: Operation }): ReactNode {
  return (
    <div className="progress" aria-hidden="true">
      {operation.hosts.flatMap((work) =>
        work.steps.map((step) => <i key={`${work.host} ${step.name}`} className={step.state} />),
      )}
    </div>
  );
}

/** Of a sample that began after the change: one that is older says nothing of it. */
function Measured({ chain, since }: { chain: ChainView; since: string | null }): ReactNode {
  const { sample, sampled_at } = chain;
  const fresh = sample && sampled_at && since && Date.parse(sampled_at) - 1000 >= Date.parse(since);
  if (!fresh) return <p className="t2">Waiting for the next measurement.</p>;
  return (
    <p>
      <Mark origin={chain.provenance} />
      <b>{figure(sample.delivered_mpps)}</b> of {figure(sample.offered_mpps)} Mpps offered, {figure(sample.drop_mpps)}{" "}
      lost <span className="t3">at {instant(new Date(sampled_at))}</span>
    </p>
  );
}
