/** What a chain carried over a range of time, beside its objectives, what was predicted and what happened. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { chainComplianceQuery, chainFiguresQuery, csvPath, marksQuery } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { ChainView, History } from "@/api/types";
import { figure, latency, latencyShort, percent } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { RangeChart } from "@/ui/range-chart";
import { Section } from "@/ui/section";
import { HistoryNote } from "./history-note";
import type { MomentSearch } from "./moment-search";
import { chartMarks, originsOf, pointsOf, predictedPoints, shownMark } from "./points";
import { RangeChoice } from "./range-choice";
import { between, type RangeSearch, refreshMs } from "./ranges";
import { Then } from "./then";

export function ChainHistory(props: {
  chain: ChainView;
  search: RangeSearch & MomentSearch;
  onChange: (search: RangeSearch) => void;
  /** The choice of whose figures are shown. */
  of?: ReactNode;
  onAt: (at: string) => void;
}): ReactNode {
  const { chain, search } = props;
  const { name } = chain.spec;
  const asked = between(search, useNow());
  const { data, error } = useQuery(chainFiguresQuery(name, asked, refreshMs(search)));
  return (
    <Section
      title="History"
      note={data ? <HistoryNote history={data} /> : undefined}
      end={
        <>
          <a className="btn small" href={csvPath(["chains", name], asked)} download>
            CSV
          </a>{" "}
          <CopyButton
            text={cli.chainHistory(name, asked.from, asked.to)}
            curl={curls.chainHistory(name, asked.from, asked.to)}
          />
        </>
      }
    >
      <RangeChoice search={search} onChange={props.onChange} of={props.of} />
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2">Reading…</p>}
      {data && data.at.length === 0 && (
        <p className="section-body t2">Nothing of this chain was measured in that time, or it is no longer kept.</p>
      )}
      {data && data.at.length > 0 && <Charts chain={chain} history={data} at={search.at} onAt={props.onAt} />}
      <Compliance name={name} asked={asked} />
    </Section>
  );
}

function Charts(props: {
  chain: ChainView;
  history: History;
  at: string | undefined;
  onAt: (at: string) => void;
}): ReactNode {
  const { chain, history } = props;
  const { name, slo } = chain.spec;
  const start = Date.parse(history.start) / 1000;
  const end = Date.parse(history.end) / 1000;
  const { data: happened } = useQuery(marksQuery({ from: history.start, to: history.end }, { chain: name }));
  const marks = [...chartMarks(happened?.items ?? [], history), ...shownMark(props.at, history)];
  const look = originsOf(history).includes("measured") ? "measured" : "simulated";
  const floor = slo.min_throughput_mpps ?? null;
  const ceiling = slo.max_p95_ms ?? null;
  const predicted = predictedPoints(history);
  const p95 = pointsOf(history, "p95_us");
  const beside = (at: number) => <Then at={at} what="The chain then" onAt={props.onAt} />;
  const range = { start, end, stepS: history.step_s, marks, beside };
  return (
    <>
      <RangeChart
        {...range}
        label={`throughput of ${name}`}
        lines={[
          { name: "delivered, Mpps", look, points: pointsOf(history, "delivered_mpps"), band: true },
          { name: "offered", look: "quiet", points: pointsOf(history, "offered_mpps") },
          ...(predicted.length > 0 ? [{ name: "predicted", look: "predicted" as const, points: predicted }] : []),
        ]}
        limit={floor === null ? undefined : { value: floor, text: `at least ${figure(floor)}` }}
        format={figure}
      />
      {p95.some(({ mean }) => mean !== null) && (
        <RangeChart
          {...range}
          label={`95th percentile of latency of ${name}`}
          lines={[{ name: "p95 of each second", look, points: p95, band: true }]}
          limit={
            ceiling === null ? undefined : { value: ceiling * 1000, text: `at most ${latencyShort(ceiling * 1000)}` }
          }
          format={latency}
        />
      )}
    </>
  );
}

function Compliance({ name, asked }: { name: string; asked: { from: string; to: string } }): ReactNode {
  const { data } = useQuery(chainComplianceQuery(name, asked));
  const [found] = data?.items ?? [];
  if (!found || found.provenance === null) return null;
  return (
    <p className="section-body t2">
      Objectives in this time: met <b className="strong">{percent(found.met * 100)} %</b>, missed{" "}
      <b className="strong">{percent(found.missed * 100)} %</b>, not measured {percent(found.not_measured * 100)} %.
    </p>
  );
}
