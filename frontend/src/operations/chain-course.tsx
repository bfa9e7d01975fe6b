/** A chain from before an operation to after it: when hosts changed, what was predicted, what was dropped. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { chainFiguresQuery } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { ChainPrediction, ChainView, Operation } from "@/api/types";
import { HistoryNote } from "@/history/history-note";
import { originsOf, pointsOf } from "@/history/points";
import { figure, latency, latencyShort } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { PartProblem } from "@/ui/part-problem";
import { RangeChart } from "@/ui/range-chart";
import { Section } from "@/ui/section";
import { appliedAt, lossWhileChanging, predictionAt, predictionText, rangeOf, stepMarks } from "./course";

const REFRESH_MS = 5000;

/** `prediction`: of this chain by the operation's plan; null where that has none. */
export function ChainCourse(props: {
  operation: Operation;
  chain: ChainView;
  prediction: ChainPrediction | null;
}): ReactNode {
  const { operation, chain, prediction } = props;
  const { name, slo } = chain.spec;
  const { grows, ...range } = rangeOf(operation, useNow());
  const { data, error } = useQuery(chainFiguresQuery(name, range, grows ? REFRESH_MS : null));
  if (error) return <PartProblem problem={asProblem(error)} />;
  if (!data) return <p className="section-body t2 late">Reading what {name} carried</p>;
  if (data.at.length === 0) {
    return <p className="section-body t2">Nothing of {name} was measured in that time, or it is no longer kept.</p>;
  }
  const look = originsOf(data).includes("measured") ? "measured" : "simulated";
  const applied = { at: appliedAt(operation), planId: operation.plan_id, prediction };
  const predicted = predictionAt(data, applied);
  const p95 = pointsOf(data, "p95_us");
  const loss = lossWhileChanging(operation, data);
  const floor = slo.min_throughput_mpps ?? null;
  const ceiling = slo.max_p95_ms ?? null;
  const shared = {
    start: Date.parse(data.start) / 1000,
    end: Date.parse(data.end) / 1000,
    stepS: data.step_s,
    marks: stepMarks(operation),
  };
  return (
    <>
      <Section title="Throughput" note={<HistoryNote history={data} />}>
        <RangeChart
          {...shared}
          label={`throughput of ${name} during operation ${operation.id}`}
          lines={[
            { name: "delivered, Mpps", look, points: pointsOf(data, "delivered_mpps") },
            { name: "offered", look: "quiet", points: pointsOf(data, "offered_mpps") },
            ...(predicted.some(({ mean }) => mean !== null)
              ? [{ name: "predicted", look: "predicted" as const, points: predicted, band: true }]
              : []),
          ]}
          limit={floor === null ? undefined : { value: floor, text: `at least ${figure(floor)}` }}
          format={figure}
        />
        {loss && <p className="section-body t2">{loss}</p>}
        <p className="section-body t3">{predictionText(applied)}</p>
      </Section>
      {p95.some(({ mean }) => mean !== null) && (
        <Section title="Latency" note="95th percentile of each second">
          <RangeChart
            {...shared}
            label={`95th percentile of latency of ${name} during operation ${operation.id}`}
            lines={[{ name: "p95", look, points: p95 }]}
            limit={
              ceiling === null ? undefined : { value: ceiling * 1000, text: `at most ${latencyShort(ceiling * 1000)}` }
            }
            format={latency}
          />
        </Section>
      )}
    </>
  );
}
