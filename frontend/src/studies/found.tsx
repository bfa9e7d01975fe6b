/** What a study found: drawn by its kind. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { studyResultQuery, studySummaryQuery } from "@/api/study-queries";
import type { PlacementResult, PlacementSummary } from "@/api/types";
import { Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { CarriedSection } from "./carried";
import { metricsText } from "./estimate";
import { FitsSection } from "./fits-table";
import { GainsSection } from "./gains";
import { ChecksSection } from "./kinds/numasfp/checks";
import { FigureSection } from "./kinds/numasfp/figure";
import { SchoolFound } from "./kinds/school/summary";
import { PredictedSections } from "./predicted";
import { SecondsSection } from "./seconds-strips";

export function Found({ id }: { id: number }): ReactNode {
  const { data: summary, error } = useQuery(studySummaryQuery(id));
  const { data: result, error: unread } = useQuery(studyResultQuery(id));
  if (error) return <PartProblem problem={asProblem(error)} />;
  if (!summary) return <p className="empty late">Loading the results of study {id} found</p>;
  return (
    <>
      {summary.kind === "numasfp" && <ChecksSection summary={summary} />}
      {summary.kind === "school" && <SchoolFound summary={summary} />}
      {summary.kind !== "numasfp" && summary.kind !== "school" && <PlacedSummary summary={summary} />}
      {unread && <PartProblem problem={asProblem(unread)} />}
      {!result && !unread && <p className="empty late">Loading every figure of study {id}</p>}
      {result?.kind === "numasfp" && <FigureSection result={result} />}
      {result?.kind === "placement" && summary.kind !== "numasfp" && summary.kind !== "school" && (
        <PlacedFigures result={result} summary={summary} />
      )}
    </>
  );
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
