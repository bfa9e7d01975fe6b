/** A training that is done: its curve, and the last exam beside simple assigners. */

import type { ReactNode } from "react";
import type { SchoolReport, SchoolScenario, SchoolSummary } from "@/api/types";
import { count, figure, signed, tick } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { CurvePlots, partText } from "./curve";
import { askedText, gamesText } from "./games";

interface Line {
  readonly name: string;
  readonly games: number | null;
  readonly twin: number;
  readonly more: SchoolReport["exam"]["over_rr"] | null;
}

const COLUMNS: readonly Column<Line>[] = [
  { key: "name", head: "Assigner", rowHead: true, cell: ({ name }) => name },
  {
    key: "games",
    head: "In exams, %",
    title: "By what its games go by",
    align: "right",
    cell: ({ games }) => (games === null ? "–" : partText(games)),
  },
  { key: "twin", head: "Digital twin, %", align: "right", cell: ({ twin }) => partText(twin) },
  {
    key: "more",
    head: "The network serves more, %",
    title: "On the twin, with the 95 % spread over instances",
    align: "right",
    cell: ({ more }) => (more === null ? "–" : moreText(more)),
  },
];

/** "−1.9 ± 2.1 %" */
function moreText({ value, half_width }: SchoolReport["exam"]["over_rr"]): string {
  return `${signed(value)}${half_width == null ? "" : ` ± ${figure(half_width)}`} %`;
}

/** "kinds that it was never shown, without nat, which its cost knows" */
export function kindsText({ exam: { kinds, known }, curve }: Pick<SchoolReport, "exam" | "curve">): string {
  if (known == null) {
    const some = "kinds of which its cost may know some: none were left out yet";
    return curve.cost ? some : "kinds that it was never shown";
  }
  if (kinds.some((kind) => known.includes(kind))) {
    return "kinds that its cost knows, as it knows all of the twin’s: none is held out";
  }
  const left = known.length === 0 ? "" : `, without ${known.join(", ")}, which its cost knows`;
  return `kinds that it was never shown${left}`;
}

export function SchoolFound({ summary }: { summary: SchoolSummary }): ReactNode {
  const { report } = summary;
  return (
    <>
      <Section
        title="Exams"
        note={
          <>
            <Mark origin="simulated" />
            simulated, {count(report.curve.marks?.length ?? 0, "exam")} of 200 instances by the{" "}
            {gamesText(report.curve)}
          </>
        }
      >
        <CurvePlots curve={report.curve} />
      </Section>
      <LastExam report={report} />
    </>
  );
}

export function LastExam({ report }: { report: SchoolReport }): ReactNode {
  const { exam, curve } = report;
  const lines: Line[] = [
    { name: "network", games: curve.marks?.at(-1)?.served ?? null, twin: exam.network, more: null },
    { name: "round robin", games: curve.rr, twin: exam.rr, more: exam.over_rr },
    { name: "LPT", games: curve.lpt, twin: exam.lpt, more: exam.over_lpt },
    { name: "exact min-max", games: null, twin: exam.min_max, more: exam.over_min_max },
  ];
  return (
    <Section
      title="Last exam"
      note={
        <>
          <Mark origin="simulated" />
          simulated, {count(exam.instances, "instance")} on {exam.machine}, of {kindsText(report)}
        </>
      }
    >
      <Table<Line> label="What assigners serve" columns={COLUMNS} rows={lines} rowKey={({ name }) => name} />
      <p className="section-body t2">
        VNFs of {exam.kinds.join(", ")}. On the twin they hurt each other by kind
        {curve.cost ? ", and not as in its games." : "; in its games they do not."}
      </p>
    </Section>
  );
}

export function schoolFacts({ cores, seed, length, steps, cost }: SchoolScenario): [string, string][] {
  const long = length === "long" ? "long, as the paper’s" : "short, to see that all works";
  return [
    ["Chooses from", count(cores, "core")],
    ["Length", steps == null ? long : `${tick(steps)} steps`],
    ["Seed", String(seed)],
    ["Games go by", askedText(cost)],
  ];
}
