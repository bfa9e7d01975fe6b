/** One operation, live: its steps on every host, what failed and why, and what may be done. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { operationQuery } from "@/api/queries";
import type { Operation } from "@/api/types";
import { ageOrTime, count } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { ActionButtons } from "@/operations/action-buttons";
import { offersOf } from "@/operations/actions";
import { Failure } from "@/operations/failure";
import { OperationLog } from "@/operations/operation-log";
import { Progress } from "@/operations/progress";
import { StepsTable } from "@/operations/steps-table";
import { TouchedChains } from "@/operations/touched-chains";
import { UndoSection } from "@/operations/undo";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { operationEnded, operationLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";

const route = getRouteApi("/shell/operations/$operationId");

export function OperationPage(): ReactNode {
  const id = Number(route.useParams().operationId);
  const { data, error } = useQuery(operationQuery(id));
  const live = useLive((state) => state.operations.get(id));
  const operation = newest(data, live);
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/operations">Operations</Link>}
        name={String(id)}
        facts={operation ? <Facts operation={operation} /> : undefined}
        actions={operation ? <CopyButton text={cli.watchOperation(id)} curl={curls.watchOperation(id)} /> : undefined}
      />
      {error && !operation && <ProblemNote problem={asProblem(error)} />}
      {!error && !operation && <p className="empty late">Loading operation {id}</p>}
      {operation && <Watch operation={operation} />}
    </main>
  );
}

function newest(fetched: Operation | undefined, live: Operation | undefined): Operation | undefined {
  if (!fetched || !live) return live ?? fetched;
  return live.version >= fetched.version ? live : fetched;
}

function Facts({ operation }: { operation: Operation }): ReactNode {
  const now = useNow();
  return (
    <>
      <span className="strong">{operation.title}</span>
      <StateText look={operationLook(operation)} code={operation.state} />
      <span>
        by {operation.requested_by}, {ageOrTime(operation.created_at, now)}
      </span>
    </>
  );
}

function Watch({ operation }: { operation: Operation }): ReactNode {
  const failed =
    operation.error !== null || operation.hosts.some((work) => work.steps.some((step) => step.state === "failed"));
  const beside = failed && !operationEnded(operation.state);
  return (
    <>
      {failed && operation.state !== "COMPLETED" && <Failure operation={operation} />}
      <div className="columns">
        <div className="main">
          <Section
            title="Steps"
            note={`${count(operation.hosts.length, "host")}, independent of each other; every step can be undone`}
          >
            <StepsTable operation={operation} />
          </Section>
          <TouchedChains operation={operation} />
        </div>
        <Side label="Progress and actions">
          <Progress operation={operation} />
          {!beside && !operationEnded(operation.state) && (
            <Section title="Actions" padded>
              <ActionButtons operation={operation} urgent={false} />
            </Section>
          )}
          {operation.state === "COMPLETED" && <UndoSection operation={operation} />}
          {!failed && operationEnded(operation.state) && offersOf(operation, null).length > 0 && (
            <Section title="Actions" note="for a finished operation" padded>
              <ActionButtons operation={operation} urgent={false} />
            </Section>
          )}
          <OperationLog operation={operation} />
        </Side>
      </div>
    </>
  );
}
