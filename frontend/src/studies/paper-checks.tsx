/** A study of a figure of a law's paper beside it: what was measured, what was published, whether the two agree. */

import type { ReactNode } from "react";
import type { NumasfpSummary, Sfc2cpuSummary } from "@/api/types";
import { count, figure, tick } from "@/lib/format";
import { Head } from "@/ui/marked-head";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";

type Check = NumasfpSummary["checks"][number];
type Cell = NonNullable<NumasfpSummary["cells"]>[number];

export function ChecksSection({ summary }: { summary: NumasfpSummary | Sfc2cpuSummary }): ReactNode {
  const { checks, passed, failed } = summary;
  const cells = "cells" in summary ? (summary.cells ?? []) : [];
  const verdict = passed + failed === 0 ? "the paper says nothing of it" : `${passed} passed, ${failed} failed`;
  return (
    <Section
      title={`Paper, ${summary.figure}`}
      note={
        <>
          {verdict} · <Mark origin="simulated" />
          simulated, on {summary.machine}
        </>
      }
    >
      <Table<Check>
        label="Values beside the paper's"
        columns={CHECKS}
        rows={checks}
        rowKey={({ what }) => what}
        note={({ passed: within, reason }) =>
          within === false && (
            <span className="t2">Likely because {reason ?? "of something that nobody looked into"}.</span>
          )
        }
      />
      {cells.length > 0 && (
        <details className="more plot-figures" open>
          <summary>Look-up table, {count(cells.length, "cell")}</summary>
          <Table<Cell>
            label="Look-up table"
            columns={CELLS}
            rows={cells}
            rowKey={({ nf, node, gbps }) => `${nf} ${node} ${gbps}`}
          />
        </details>
      )}
    </Section>
  );
}

const CHECKS: readonly Column<Check>[] = [
  { key: "what", head: "Value", cell: ({ what }) => what },
  {
    key: "ours",
    head: <Head origin="simulated" text="simulated" />,
    align: "right",
    cell: ({ ours, unit }) => <b className="strong nowrap">{`${figure(ours)} ${unit}`.trim()}</b>,
  },
  { key: "paper", head: "Paper and tolerance", align: "right", cell: allowed },
  {
    key: "verdict",
    head: "Verdict",
    cell: ({ passed }) =>
      passed == null ? (
        "–"
      ) : (
        <span className={passed ? "nowrap" : "bad nowrap"}>
          <Shape name={passed ? "ok" : "bad"} />
          {passed ? "passed" : "failed"}
        </span>
      ),
  },
];

/** "-52 ± 6 %", "at most 1 s"; as the command line says it. */
export function allowed({ paper, tolerance, bound, unit }: Check): string {
  if (paper == null || tolerance == null) return "–";
  if (bound === "within") return `${tick(paper)} ± ${tick(tolerance)} ${unit}`.trim();
  const off = tolerance > 0 ? ` (± ${tick(tolerance)})` : "";
  return `at ${bound} ${tick(paper)}${off} ${unit}`.trim();
}

const CELLS: readonly Column<Cell>[] = [
  { key: "nf", head: "NF type", cell: ({ nf }) => nf },
  { key: "node", head: "Node", cell: ({ node }) => node },
  { key: "gbps", head: "Rate, Gbps", align: "right", cell: ({ gbps }) => tick(gbps) },
  {
    key: "ours",
    head: <Head origin="simulated" text="ways, MB %" />,
    align: "right",
    cell: ({ ours }) => needText(ours),
  },
  { key: "paper", head: "Paper's", align: "right", cell: ({ paper }) => needText(paper) },
  {
    key: "near",
    head: "Near",
    cell: ({ near }) => (near ? "yes" : <span className="bad">no</span>),
  },
];

function needText(need: Cell["ours"]): string {
  return need ? `(${need.ways}, ${need.mb_percent})` : "none";
}
