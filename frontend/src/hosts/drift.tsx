/** What the host runs against what it was ordered, NF by NF, and the plans that end a difference. Its agent is asked when
 * somebody wants to know, or the host is marked. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type DriftAction, planDriftsEnd } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { driftQuery } from "@/api/queries";
import type { DriftReport, DriftWay, HostView } from "@/api/types";
import { when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { DriftTable } from "@/plans/drift-table";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

export function Drift({ host }: { host: HostView }): ReactNode {
  const [wanted, setWanted] = useState(false);
  const open = wanted || host.drift != null;
  const { data, error, isFetching, refetch } = useQuery({ ...driftQuery(host.host_id), enabled: open });
  const report = open && !error ? data : undefined; // what was compared on an earlier visit is old
  const now = useNow();
  return (
    <Section
      title="Drift"
      note={<Note host={host} report={report} now={now} />}
      end={
        <>
          {open && <CopyButton text={cli.drift(host.host_id)} curl={curls.drift(host.host_id)} />}
          <Button
            reason={isFetching ? "The agent is being asked." : null}
            reasonSide="below-left"
            onClick={() => (open ? void refetch() : setWanted(true))}
          >
            Compare now
          </Button>
        </>
      }
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {report && <Report report={report} />}
    </Section>
  );
}

function Note(props: { host: HostView; report: DriftReport | undefined; now: number }): ReactNode {
  const { host, report, now } = props;
  if (host.drift)
    return (
      <span className="warn">
        <Shape name="warn" />
        {host.drift.summary}, since {when(host.drift.since, new Date(now))}
      </span>
    );
  if (report) return `compared ${when(report.checked_at, new Date(now))}`;
  return host.status === "up" ? "its reports agree with its order" : "not known: the host is silent";
}

function Report({ report }: { report: DriftReport }): ReactNode {
  if (report.differences.length === 0 && report.held_as_ordered)
    return (
      <p className="section-body t2">The host runs what it was ordered, generation {report.ordered_generation}.</p>
    );
  return (
    <>
      <p className="section-body t2">
        {report.held_as_ordered ? (
          `The agent holds the newest order, generation ${report.ordered_generation}, and says: ${report.detail}.`
        ) : (
          <>
            <span className="warn">
              <Shape name="warn" />
              The agent holds generation {report.held_generation}, not the newest order, which is generation{" "}
              {report.ordered_generation}.
            </span>{" "}
            Its ledger was lost or restored, or somebody else ordered. It says: {report.detail}.
          </>
        )}
      </p>
      {report.differences.length > 0 && <DriftTable differences={report.differences} />}
      {report.more > 0 && <p className="section-body t3">and {report.more} more</p>}
      <Ways report={report} />
    </>
  );
}

function Ways({ report }: { report: DriftReport }): ReactNode {
  const navigate = useNavigate();
  const denied = useActReason("plans.apply");
  const ask = useMutation({
    mutationFn: (action: DriftAction) => planDriftsEnd(report.host_id, action),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  const busy = ask.isPending ? "A plan is being made." : denied;
  return (
    <div className="section-body">
      <Way
        label="Plan the repair"
        what="Orders the host again what it was ordered; what runs as ordered goes on."
        way={report.repair}
        busy={busy}
        command={cli.repairDrift(report.host_id)}
        curl={curls.repairDrift(report.host_id)}
        onAsk={() => ask.mutate("repair")}
      />
      <Way
        label="Plan to accept it"
        what="Makes what the host runs its order."
        way={report.accept}
        busy={busy}
        command={cli.acceptDrift(report.host_id)}
        curl={curls.acceptDrift(report.host_id)}
        onAsk={() => ask.mutate("accept")}
      />
      {ask.error && <ProblemNote problem={asProblem(ask.error)} onDismiss={() => ask.reset()} />}
    </div>
  );
}

function Way(props: {
  label: string;
  what: string;
  way: DriftWay;
  busy: string | null;
  command: string;
  curl: string;
  onAsk: () => void;
}): ReactNode {
  const { label, what, way, busy, command, curl, onAsk } = props;
  const reasons = way.reasons ?? [];
  return (
    <div className="row-actions drift-way">
      <Button reason={way.possible ? busy : (reasons[0] ?? "Nothing differs.")} reasonSide="above" onClick={onAsk}>
        {label}
      </Button>
      <span className="t2">
        {way.possible
          ? `${what}${reasons.map((reason) => ` It ${reason}.`).join("")}`
          : `Not possible: ${reasons.join("; ")}`}
      </span>
      {way.possible && <CopyButton text={command} curl={curl} />}
    </div>
  );
}
