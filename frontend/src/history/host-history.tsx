/** What all chains of a host carried together over a range of time. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { csvPath, hostFiguresQuery, marksQuery } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { History } from "@/api/types";
import { figure } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { RangeChart } from "@/ui/range-chart";
import { Section } from "@/ui/section";
import { FleetThen } from "./fleet-then";
import { HistoryNote } from "./history-note";
import { chartMarks, originsOf, pointsOf } from "./points";
import { RangeChoice } from "./range-choice";
import { between, type RangeSearch, refreshMs } from "./ranges";

export function HostHistory(props: {
  host: string;
  search: RangeSearch;
  onChange: (search: RangeSearch) => void;
}): ReactNode {
  const { host, search } = props;
  const asked = between(search, useNow());
  const { data, error } = useQuery(hostFiguresQuery(host, asked, refreshMs(search)));
  return (
    <Section
      title="History"
      note={data ? <HistoryNote history={data} /> : undefined}
      end={
        <>
          <a className="btn small" href={csvPath("hosts", host, asked)} download>
            CSV
          </a>{" "}
          <CopyButton
            text={cli.hostHistory(host, asked.from, asked.to)}
            curl={curls.hostHistory(host, asked.from, asked.to)}
          />
        </>
      }
    >
      <RangeChoice search={search} onChange={props.onChange} />
      {error && <PartProblem problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2">Reading…</p>}
      {data && data.at.length === 0 && (
        <p className="section-body t2">No chain of this host was measured in that time, or it is no longer kept.</p>
      )}
      {data && data.at.length > 0 && <Chart host={host} history={data} />}
    </Section>
  );
}

function Chart({ host, history }: { host: string; history: History }): ReactNode {
  const { data } = useQuery(marksQuery({ from: history.start, to: history.end }, { host }));
  return (
    <RangeChart
      label={`throughput of ${host}`}
      start={Date.parse(history.start) / 1000}
      end={Date.parse(history.end) / 1000}
      stepS={history.step_s}
      marks={chartMarks(data?.items ?? [], history)}
      lines={[
        {
          name: "delivered by all chains, Mpps",
          look: originsOf(history).includes("measured") ? "measured" : "simulated",
          points: pointsOf(history, "delivered_mpps"),
          band: true,
        },
        { name: "offered", look: "quiet", points: pointsOf(history, "offered_mpps") },
      ]}
      format={figure}
      beside={(at) => <FleetThen at={at} />}
    />
  );
}
