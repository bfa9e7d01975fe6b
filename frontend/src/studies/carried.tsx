/** What each algorithm's placements carry on the twin, beside what the models predicted: drawn, and as a table. */

import { type ReactNode, useState } from "react";
import type { PlacementSummary } from "@/api/types";
import { count } from "@/lib/format";
import { Head } from "@/ui/marked-head";
import { Mark } from "@/ui/marks";
import { PagedTable, Pager, usePages } from "@/ui/pager";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { type DotGroup, DotRows } from "./dot-rows";
import { EstimateFigure, estimateText, runsNote } from "./estimate";

type SetSummary = PlacementSummary["sets"][number];
type Total = SetSummary["totals"][number];

/** Sets drawn at once: about a screen. */
const DRAWN = 6;

export function CarriedSection({ summary }: { summary: PlacementSummary }): ReactNode {
  const [axis, setAxis] = useState<"zero" | "close">("zero");
  const pages = usePages(summary.sets, DRAWN);
  return (
    <Section
      title="Carried"
      note={
        <>
          Mpps · <Mark origin="simulated" />
          carried on the twin · <Mark origin="predicted" />
          predicted by the models · {runsNote(summary)}
        </>
      }
      end={
        <Segmented<"zero" | "close">
          label="Axis"
          value={axis}
          options={[
            { key: "zero", text: "From 0" },
            { key: "close", text: "Close up" },
          ]}
          onChange={setAxis}
        />
      }
    >
      <DotRows
        label={`Mpps carried and predicted, by set and algorithm: ${pages.shown.map(({ set }) => set).join(", ")}`}
        unit="Mpps"
        groups={pages.shown.map(groupOf)}
        close={axis === "close"}
      />
      <Pager pages={pages} one="set" />
      <CarriedTable sets={summary.sets} />
    </Section>
  );
}

function groupOf({ set, chains, nfs, totals }: SetSummary): DotGroup {
  return {
    title: set,
    note: `${count(chains, "chain")}, ${count(nfs, "NF")}`,
    rows: totals.map(({ algorithm, carried_mpps: carried, predicted_mpps: predicted }) => ({
      name: algorithm,
      dots: [
        { look: "simulated", of: carried, title: `${set}, ${algorithm}: carried ${estimateText(carried)} Mpps` },
        { look: "predicted", of: predicted, title: `${set}, ${algorithm}: predicted ${estimateText(predicted)} Mpps` },
      ],
      end: estimateText(carried),
    })),
  };
}

interface Row extends Total {
  readonly set: string;
}

function CarriedTable({ sets }: { sets: readonly SetSummary[] }): ReactNode {
  const rows = sets.flatMap(({ set, totals }) => totals.map((total): Row => ({ ...total, set })));
  return (
    <details className="more plot-figures">
      <summary>As a table, {count(rows.length, "row")}</summary>
      <PagedTable<Row>
        label="Carried and predicted"
        size={24}
        one="row"
        pagesOf="carried and predicted"
        rows={rows}
        rowKey={({ set, algorithm }) => `${set} ${algorithm}`}
        columns={[
          { key: "set", head: "Set", cell: ({ set }) => set },
          { key: "algorithm", head: "Algorithm", cell: ({ algorithm }) => algorithm },
          {
            key: "carried",
            head: <Head origin="simulated" text="carried, Mpps" />,
            align: "right",
            cell: ({ carried_mpps }) => <EstimateFigure of={carried_mpps} />,
          },
          {
            key: "predicted",
            head: <Head origin="predicted" text="predicted, Mpps" />,
            align: "right",
            cell: ({ predicted_mpps }) => <EstimateFigure of={predicted_mpps} />,
          },
        ]}
      />
    </details>
  );
}
