/** What a study found: drawn by its kind. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { studyResultQuery, studySummaryQuery } from "@/api/study-queries";
import type { PlacementResult, PlacementSummary, StudySummary } from "@/api/types";
import { Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { CarriedSection } from "./carried";
import { metricsText } from "./estimate";
import { FitsSection } from "./fits-table";
import { GainsSection } from "./gains";
import { SchoolFound } from "./kinds/school/summary";
import { ChecksSection } from "./paper-checks";
import { FigureSection } from "./paper-figure";
import { PredictedSections } from "./predicted";
import { SecondsSection } from "./seconds-strips";

export function Found({ id }: { id: number }): ReactNode {
  const { data: summary, error } = useQuery(studySummaryQuery(id));
  const { data: result, error: unread } = useQuery(studyResultQuery(id));
  if (error) return <PartProblem problem={asProblem(error)} />;
  if (!summary) return <p className="empty late">Loading the results of study {id} found</p>;
  return (
    <>
      {(summary.kind === "numasfp" || summary.kind === "sfc2cpu") && <ChecksSection summary={summary} />}
      {summary.kind === "school" && <SchoolFound summary={summary} />}
      {isPlaced(summary) && <PlacedSummary summary={summary} />}
      {unread && <PartProblem problem={asProblem(unread)} />}
      {!result && !unread && <p className="empty late">Loading every figure of study {id}</p>}
      {(result?.kind === "numasfp" || result?.kind === "sfc2cpu") && <FigureSection result={result} />}
      {result?.kind === "placement" && isPlaced(summary) && <PlacedFigures result={result} summary={summary} />}
    </>
  );
}

/** Of placements or predictions. */
function isPlaced(summary: StudySummary): summary is PlacementSummary {
  return summary.kind === "placement" || summary.kind === "prediction";
}

function PlacedSummary({ summary }: { summary: PlacementSummary }): ReactNode {
  const differs = metricsText(summary);
  return (
    <>
      {!summary.qualifies && summary.metric !== null && (
        <div className="banner">
          <Shape name="warn" />
          <span>
            No metric qualifies for these NF types; <span className="mono">{summary.metric}</span> is the nearest and is
            used, so the models are not validated. The figures show the quality of such models.
          </span>
        </div>
      )}
      {differs && (
        <div className="banner">
          <Shape name="warn" />
          <span>
            Which metric is used depends on the noise of the profiles: {differs}. Models of different metrics differ,
            which is part of the spread.
          </span>
        </div>
      )}
      {summary.kind === "placement" && (
        <>
          <CarriedSection summary={summary} />
          <GainsSection summary={summary} />
        </>
      )}
    </>
  );
}

function PlacedFigures({ result, summary }: { result: PlacementResult; summary: PlacementSummary }): ReactNode {
  return (
    <>
      {summary.kind === "placement" ? (
        <SecondsSection result={result} runs={summary.runs} />
      ) : (
        <PredictedSections result={result} summary={summary} />
      )}
      <FitsSection fits={result.fits} />
    </>
  );
}
