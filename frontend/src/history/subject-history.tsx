/** What a host, one of its cores or an NF did over a range of time. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { csvPath, figuresQuery, marksQuery, type PastOf, type Subject } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { History } from "@/api/types";
import { useNow } from "@/live/freshness";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { RangeChart } from "@/ui/range-chart";
import { Section } from "@/ui/section";
import { HistoryNote } from "./history-note";
import type { MomentSearch } from "./moment-search";
import { chartMarks, shownMark } from "./points";
import { RangeChoice } from "./range-choice";
import { between, type RangeSearch, refreshMs } from "./ranges";
import { chartsOf, commandOf, partsOf } from "./subjects";
import { Then } from "./then";

export function SubjectHistory(props: {
  subject: Subject;
  search: RangeSearch & MomentSearch;
  onChange: (search: RangeSearch) => void;
  /** The choice of whose figures are shown. */
  of: ReactNode;
  /** Whose marks stand in the charts. */
  marksOf: PastOf;
  /** "The host then". */
  then: string;
  onAt: (at: string) => void;
}): ReactNode {
  const { subject, search } = props;
  const asked = between(search, useNow());
  const { data, error } = useQuery(figuresQuery(subject, asked, refreshMs(search)));
  return (
    <Section
      title="History"
      note={data ? <HistoryNote history={data} /> : undefined}
      end={
        <>
          <a className="btn small" href={csvPath(partsOf(subject), asked)} download>
            CSV
          </a>{" "}
          <CopyButton {...commandOf(subject, asked.from, asked.to)} />
        </>
      }
    >
      <RangeChoice search={search} onChange={props.onChange} of={props.of} />
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2">Reading…</p>}
      {data && data.at.length === 0 && <p className="section-body t2">{NOTHING[subject.kind]}</p>}
      {data && data.at.length > 0 && <Charts {...props} history={data} />}
    </Section>
  );
}

const NOTHING: Record<Subject["kind"], string> = {
  host: "No chain of this host was measured in that time, or it is no longer kept.",
  core: "The core was not reported in that time, or it is no longer kept.",
  nf: "Nothing of this NF was measured in that time, or it is no longer kept.",
};

function Charts(props: Parameters<typeof SubjectHistory>[0] & { history: History }): ReactNode {
  const { subject, history, search } = props;
  const { data } = useQuery(marksQuery({ from: history.start, to: history.end }, props.marksOf));
  const marks = [...chartMarks(data?.items ?? [], history), ...shownMark(search.at, history)];
  return chartsOf(subject, history).map((chart) => (
    <RangeChart
      key={chart.label}
      {...chart}
      start={Date.parse(history.start) / 1000}
      end={Date.parse(history.end) / 1000}
      stepS={history.step_s}
      marks={marks}
      beside={(at) => <Then at={at} what={props.then} onAt={props.onAt} />}
    />
  ));
}
