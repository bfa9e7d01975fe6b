/** Rules of alerts: what each finds, how soon, how severe; an administrator changes them. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { rulesQuery } from "@/api/alert-queries";
import { asProblem } from "@/api/problem";
import type { RuleSort } from "@/api/sorts";
import type { AlertRule } from "@/api/types";
import { duration } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { RuleForm } from "./rule-form";

const COLUMNS: readonly ServerSorted<AlertRule, RuleSort>[] = [
  {
    key: "title",
    head: "Rule",
    rowHead: true,
    sorts: ["title", "-title"],
    cell: ({ title }) => <b className="strong">{title}</b>,
  },
  { key: "finds", head: "Finds", secondRank: true, cell: ({ summary }) => <span className="t2">{summary}</span> },
  { key: "on", head: "State", sorts: ["-enabled", "enabled"], cell: ({ enabled }) => (enabled ? "on" : "off") },
  { key: "severity", head: "Severity", sorts: ["-severity", "severity"], cell: ({ severity }) => severity },
  { key: "fires", head: "Fires after", align: "right", cell: ({ fire_after_s }) => held(fire_after_s) },
  {
    key: "ends",
    head: "Resolves after",
    align: "right",
    secondRank: true,
    cell: ({ resolve_after_s }) => held(resolve_after_s),
  },
  {
    key: "again",
    head: "Sent again",
    align: "right",
    secondRank: true,
    cell: ({ repeat_after_s }) => (repeat_after_s === 0 ? "never" : duration(repeat_after_s)),
  },
  { key: "limits", head: "Thresholds", secondRank: true, cell: thresholds },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (rule) => <ChangeRule rule={rule} />,
  },
];

export function Rules(sorting: Sorting<RuleSort>): ReactNode {
  const { data, error } = useQuery(rulesQuery(sorting.sort));
  return (
    <Section
      title="Rules"
      note="evaluated every 5 s"
      end={<CopyButton text={cli.alertRules()} curl={curls.alertRules()} />}
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading rules</p>}
      {data && <Table label="Rules" columns={sortedHeads(COLUMNS, sorting)} rows={data} rowKey={({ kind }) => kind} />}
    </Section>
  );
}

function held(seconds: number): string {
  return seconds === 0 ? "at once" : duration(seconds);
}

function thresholds({ parameters }: AlertRule): string {
  return (
    parameters
      .map(({ title, value, unit }) => [title, value, unit].filter((part) => part !== "").join(" "))
      .join(", ") || "–"
  );
}

function ChangeRule({ rule }: { rule: AlertRule }): ReactNode {
  const [open, setOpen] = useState(false);
  const reason = useRoleReason("alerts.rules");
  return (
    <>
      <Button small reason={reason} reasonSide="below-left" onClick={() => setOpen(true)}>
        Change<span className="hidden-text"> {rule.title}</span>
      </Button>
      <Window open={open} title={rule.title} onClose={() => setOpen(false)}>
        {open && <RuleForm key={rule.version} rule={rule} onDone={() => setOpen(false)} />}
      </Window>
    </>
  );
}
