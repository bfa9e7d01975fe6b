/** Predicted against carried, chain by chain, with how far one predictor was off; and all predictors beside each other. */

import { type ReactNode, useMemo, useState } from "react";
import type { PlacementResult, PlacementSummary } from "@/api/types";
import { count, figure, tick } from "@/lib/format";
import { predictorName } from "@/trust/words";
import { Choose } from "@/ui/choose";
import { Head } from "@/ui/marked-head";
import { Mark } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import { Plot } from "@/ui/plot";
import { Section } from "@/ui/section";
import { Picker } from "@/ui/select";
import { DifferenceBars } from "./difference-bars";
import { differencesOf, type StudyPrediction, thinned } from "./differences";
import { ErrorsTable } from "./errors-table";
import { runsNote } from "./estimate";

const ALL = "";
/** Points that an eye can still tell apart, and a browser draws at once. */
const DRAWN = 1500;

export function PredictedSections({
  result,
  summary,
}: {
  result: PlacementResult;
  summary: PlacementSummary;
}): ReactNode {
  const { predictions, scenario } = result;
  const predictors = Object.keys(predictions[0]?.predicted_mpps ?? {});
  const [wanted, setPredictor] = useState("octans");
  const [set, setSet] = useState(ALL);
  const rows = useMemo(
    () => (set === ALL ? predictions : predictions.filter((row) => row.set === set)),
    [predictions, set],
  );
  const predictor = predictors.includes(wanted) ? wanted : (predictors[0] ?? "");
  const differences = useMemo(() => differencesOf(rows, predictor), [rows, predictor]);
  return (
    <>
      <Section
        title="Predicted against carried"
        note={
          <>
            one mark per chain and placement · <Mark origin="simulated" />
            carried on the twin · <Mark origin="predicted" />
            predicted
          </>
        }
      >
        <div className="plot-choice study-choice">
          <Picker
            label="Predictor"
            value={predictor}
            choices={predictors.map((key) => ({ key, text: predictorName(key) }))}
            onChange={setPredictor}
          />
          {scenario.set.length > 1 && (
            <Choose
              label="Set"
              value={set}
              choices={[{ key: ALL, text: "all sets" }, ...scenario.set.map(({ name }) => ({ key: name, text: name }))]}
              onChange={setSet}
            />
          )}
        </div>
        <div className="plot-pair study-scatter">
          <Scatter rows={rows} predictor={predictor} />
          <DifferenceBars differences={differences} predictor={predictor} />
        </div>
        <ChainsTable rows={rows} predictor={predictor} />
      </Section>
      <Section
        title="Predictors"
        note={
          <>
            errors over all sets · <Mark origin="simulated" />
            against the twin · {runsNote(summary)}
          </>
        }
      >
        <ErrorsTable errors={summary.predictors} rows={predictions} chosen={predictor} />
      </Section>
    </>
  );
}

function Scatter({ rows, predictor }: { rows: readonly StudyPrediction[]; predictor: string }): ReactNode {
  const said = useMemo(() => rows.filter((row) => row.predicted_mpps[predictor] != null), [rows, predictor]);
  const drawn = thinned(said, DRAWN);
  return (
    <figure aria-label="Predicted against carried">
      <figcaption className="t2">
        On the diagonal the prediction is right
        {drawn.length < said.length && `; ${count(drawn.length, "mark")} drawn of ${count(said.length, "chain")}`}
      </figcaption>
      <Plot
        label={`Mpps predicted by ${predictorName(predictor)} over Mpps carried, ${count(drawn.length, "chain")}`}
        x={{ title: "carried, Mpps", format: tick }}
        y={{ title: "predicted, Mpps", format: tick }}
        diagonal
        height={300}
        series={[
          {
            name: predictorName(predictor),
            look: "predicted",
            points: drawn.map((row) => {
              const mpps = row.predicted_mpps[predictor] ?? 0;
              const what = `carried ${figure(row.carried_mpps)}, predicted ${figure(mpps)} Mpps`;
              return { x: row.carried_mpps, y: mpps, title: `${placeText(row)}: ${what}` };
            }),
          },
        ]}
      />
    </figure>
  );
}

function ChainsTable({ rows, predictor }: { rows: readonly StudyPrediction[]; predictor: string }): ReactNode {
  return (
    <details className="more plot-figures">
      <summary>As a table, {count(rows.length, "row")}</summary>
      <PagedTable<StudyPrediction>
        label="Predicted and carried"
        size={20}
        one="row"
        pagesOf="predicted and carried"
        rows={rows}
        rowKey={placeText}
        columns={[
          { key: "set", head: "Set", cell: (row) => row.set },
          { key: "number", head: "Placement", align: "right", cell: (row) => row.number + 1 },
          { key: "chain", head: "Chain", align: "right", cell: (row) => row.chain + 1 },
          { key: "nodes", head: "Nodes of its NFs", cell: (row) => row.nodes.join(", ") },
          { key: "run", head: "Draw, seed", secondRank: true, cell: (row) => `${row.draw}, ${row.seed}` },
          {
            key: "carried",
            head: <Head origin="simulated" text="carried, Mpps" />,
            align: "right",
            cell: (row) => figure(row.carried_mpps),
          },
          {
            key: "predicted",
            head: <Head origin="predicted" text="predicted, Mpps" />,
            align: "right",
            cell: (row) => figure(row.predicted_mpps[predictor]),
          },
          { key: "alone", head: "alone, Mpps", align: "right", cell: (row) => figure(row.ideal_mpps) },
        ]}
      />
    </details>
  );
}

/** "edge, placement 3, chain 1, draw centre, seed 2". */
function placeText({ set, number, chain, draw, seed }: StudyPrediction): string {
  return `${set}, placement ${number + 1}, chain ${chain + 1}, draw ${draw}, seed ${seed}`;
}
