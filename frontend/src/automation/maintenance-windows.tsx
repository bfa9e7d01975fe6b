/** Times in which no control law acts: those planned, those that are on and those that were, and a form to plan one. */

import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { endWindow, planWindow, WINDOWS, windowsPages } from "@/api/automation-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { WindowSort } from "@/api/sorts";
import type { MaintenanceWindow } from "@/api/types";
import { when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { Picker } from "@/ui/select";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { LENGTHS, type Length, timesOf } from "./window-times";

const FLEET = "the fleet";

const COLUMNS: readonly ServerSorted<MaintenanceWindow, WindowSort>[] = [
  {
    key: "where",
    head: "Where",
    rowHead: true,
    sorts: ["host", "-host"],
    cell: ({ host }) => <Where host={host} />,
  },
  {
    key: "from",
    head: "From",
    sorts: ["starts_at", "-starts_at"],
    cell: ({ starts_at }) => <Moment at={starts_at} />,
  },
  { key: "until", head: "Until", sorts: ["ends_at", "-ends_at"], cell: ({ ends_at }) => <Moment at={ends_at} /> },
  { key: "state", head: "State", cell: (window) => <State window={window} /> },
  {
    key: "by",
    head: "By",
    secondRank: true,
    sorts: ["created_by", "-created_by"],
    cell: ({ created_by }) => created_by,
  },
  { key: "reason", head: "Reason", cell: ({ reason }) => <span className="t2">{reason}</span> },
  { key: "end", head: "", cell: (window) => <End window={window} /> },
];

export function MaintenanceWindows(sorting: Sorting<WindowSort>): ReactNode {
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(windowsPages(sorting.sort));
  const rows = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section title="Maintenance windows" note="within one no control law recommends or applies anything">
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading maintenance windows</p>}
      {rows.length > 0 && (
        <Table
          label="Maintenance windows"
          columns={sortedHeads(COLUMNS, sorting)}
          rows={rows}
          rowKey={({ id }) => id}
        />
      )}
      {data && rows.length === 0 && <p className="section-body t2">None is planned.</p>}
      {hasNextPage && (
        <p className="empty">
          <Button onClick={() => void fetchNextPage()}>{sorting.sort ? "More" : "Earlier"} windows</Button>
        </p>
      )}
      <PlanWindow />
    </Section>
  );
}

function Where({ host }: { host: string | null }): ReactNode {
  if (host === null) return FLEET;
  return (
    <Link to="/hosts/$id" params={{ id: host }}>
      {host}
    </Link>
  );
}

function Moment({ at }: { at: string }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{when(at, new Date(now))}</span>;
}

function State({ window }: { window: MaintenanceWindow }): ReactNode {
  const now = useNow();
  if (window.active) {
    return (
      <span className="warn nowrap">
        <Shape name="warn" />
        active
      </span>
    );
  }
  if (window.ended_by !== null) return <span className="t2">ended by {window.ended_by}</span>;
  return new Date(window.starts_at).getTime() > now ? "planned" : <span className="t2">over</span>;
}

function useChanged() {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: WINDOWS });
}

function End({ window }: { window: MaintenanceWindow }): ReactNode {
  const changed = useChanged();
  const now = useNow();
  const denied = useActReason("hosts.maintain");
  const end = useMutation({ mutationFn: () => endWindow(window.id), onSettled: changed });
  if (window.ended_by !== null || new Date(window.ends_at).getTime() <= now) return null;
  return (
    <>
      <Button
        small
        reason={denied ?? (end.isPending ? "It is being ended." : null)}
        reasonSide="below-left"
        onClick={() => end.mutate()}
      >
        {window.active ? "End now" : "Withdraw"}
      </Button>
      {end.error && <ProblemNote problem={asProblem(end.error)} onDismiss={() => end.reset()} />}
    </>
  );
}

function PlanWindow(): ReactNode {
  const hosts = useLive((state) => state.hosts);
  const changed = useChanged();
  const [where, setWhere] = useState(FLEET);
  const [from, setFrom] = useState("");
  const [hours, setHours] = useState<Length>("2");
  const [why, setWhy] = useState("");
  const denied = useActReason("hosts.maintain");
  const host = where === FLEET ? null : where;
  const times = timesOf(from, hours, useNow());
  const plan = useMutation({
    mutationFn: planWindow,
    onSuccess: () => setWhy(""),
    onSettled: changed,
  });
  const problem = plan.error ? asProblem(plan.error) : null;
  const fields = fieldMessages(problem?.errors ?? []);
  const missing = times === null ? "Give a date and a time." : why.trim() === "" ? "Give a reason first." : null;
  const reason = denied ?? (plan.isPending ? "It is being planned." : missing);
  return (
    <form
      className="section-body scoped-policy"
      aria-label="Plan a maintenance window"
      onSubmit={(event) => {
        event.preventDefault();
        if (times !== null && !reason) plan.mutate({ host, ...times, reason: why.trim() });
      }}
    >
      <Picker
        label="Where"
        value={where}
        choices={[FLEET, ...[...hosts.keys()].sort()].map((key) => ({ key, text: key }))}
        onChange={setWhere}
      />
      <label className="field">
        <span className="t2">From</span>
        <input
          className="input"
          type="datetime-local"
          value={from}
          title="your local time; empty: now"
          onChange={(event) => setFrom(event.target.value)}
        />
      </label>
      <span className="row-field">
        <span className="t2">For</span>
        <Segmented label="For" value={hours} options={LENGTHS} onChange={setHours} />
      </span>
      <Field label="Why" value={why} onChange={setWhy} error={fields("reason")} />
      {times !== null && why.trim() !== "" && (
        <CopyButton
          text={cli.planWindow(host, times.startsAt, times.startsAt === null ? `${hours}h` : times.endsAt, why.trim())}
          curl={curls.planWindow(host, times.startsAt, times.endsAt, why.trim())}
        />
      )}
      <Button type="submit" reason={reason}>
        Plan window
      </Button>
      {problem && <ProblemNote problem={problem} onDismiss={() => plan.reset()} />}
    </form>
  );
}
