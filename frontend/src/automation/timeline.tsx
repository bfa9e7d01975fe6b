/** What control laws decided, what operators decided about them, and what came of it. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { timelinePages } from "@/api/automation-queries";
import { asProblem } from "@/api/problem";
import type { TimelineSort } from "@/api/sorts";
import type { TimelineEntry } from "@/api/types";
import { ageOrTime, timesSign } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";

const NONE = "No decisions yet. A recommendation is made once its gain has lasted for the hold time.";

const COLUMNS: readonly ServerSorted<TimelineEntry, TimelineSort>[] = [
  { key: "at", head: "When", sorts: ["at", "-at"], cell: (entry) => <When entry={entry} /> },
  { key: "law", head: "Law", cell: ({ law }) => law ?? "all" },
  { key: "text", head: "What", rowHead: true, className: "sentence", cell: (entry) => <What entry={entry} /> },
  { key: "plan", head: "Plan", align: "right", cell: (entry) => <PlanLink entry={entry} /> },
  { key: "actor", head: "By", secondRank: true, sorts: ["actor", "-actor"], cell: ({ actor }) => actor },
];

/** `law`: only its entries, and those of all laws; null: every law's. */
export function Timeline({ law = null, ...sorting }: { law?: string | null } & Sorting<TimelineSort>): ReactNode {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    timelinePages(law, sorting.sort),
  );
  const entries = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section
      title="Timeline"
      note="decisions and their outcomes"
      end={<CopyButton text={cli.timeline(law)} curl={curls.timeline(law)} />}
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading the timeline</p>}
      {entries.length > 0 && (
        <Table label="Timeline" columns={sortedHeads(COLUMNS, sorting)} rows={entries} rowKey={({ id }) => id} />
      )}
      {data && entries.length === 0 && <p className="section-body t2">{NONE}</p>}
      {hasNextPage && (
        <p className="empty">
          <Button onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more entries" : `${sorting.sort ? "More" : "Older"} entries`}
          </Button>
        </p>
      )}
    </Section>
  );
}

/** What came of a change stands out among what was decided, and so does what took automation back. */
const STAND_OUT: Partial<Record<TimelineEntry["event"], "came" | "stopped">> = {
  "recommendation.measured": "came",
  "policy.demote": "stopped",
  "automation.stop": "stopped",
};

function What({ entry: { event, text } }: { entry: TimelineEntry }): ReactNode {
  const kind = STAND_OUT[event];
  return (
    <span className={kind === "came" ? "strong" : kind === "stopped" ? "warn" : "t2"}>
      {kind === "stopped" && <Shape name="warn" />}
      {timesSign(text)}
    </span>
  );
}

function When({ entry }: { entry: TimelineEntry }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(entry.at, now)}</span>;
}

function PlanLink({ entry: { plan_id } }: { entry: TimelineEntry }): ReactNode {
  if (plan_id === null) return "–";
  return (
    <Link to="/plans/$planId" params={{ planId: String(plan_id) }}>
      {plan_id}
    </Link>
  );
}
