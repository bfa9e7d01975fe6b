/** All that control laws recommended, whatever became of it: newest first, or as the reader sorts it. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { recommendationsPages } from "@/api/recommendation-queries";
import type { RecommendationSort } from "@/api/sorts";
import type { Recommendation } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { StateText } from "@/states/state-text";
import { RECOMMENDATION, RECOMMENDATION_STATES } from "@/states/table";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { WideTable } from "@/ui/wide-table";
import { PredictedGain } from "./predicted-gain";
import { gainedText, gainText, measuredGain, promisesNoGain, restoresText, whatText } from "./words";

const COLUMNS: readonly ServerSorted<Recommendation, RecommendationSort>[] = [
  { key: "id", head: "Recommendation", sorts: ["id", "-id"], cell: ({ id }) => id },
  { key: "made", head: "Made", sorts: ["-created_at", "created_at"], cell: (one) => <Made of={one} /> },
  { key: "law", head: "Law", sorts: ["law", "-law"], cell: ({ law }) => law },
  { key: "what", head: "What", cell: whatText },
  {
    key: "gain",
    head: "Gain",
    align: "right",
    cell: (one) => (promisesNoGain(one) ? <span className="t3">–</span> : <PredictedGain of={one} />),
  },
  { key: "measured", head: "Measured gain", align: "right", secondRank: true, cell: (one) => <Measured of={one} /> },
  { key: "restores", head: "Restores", secondRank: true, cell: restoresText },
  { key: "state", head: "State", sorts: ["state", "-state"], cell: (one) => <State of={one} /> },
  {
    key: "plan",
    head: "Plan",
    align: "right",
    cell: ({ plan_id }) => (
      <Link to="/plans/$planId" params={{ planId: String(plan_id) }}>
        {plan_id}
      </Link>
    ),
  },
];

type Filter = Recommendation["state"] | undefined;

/** `law`: only its own; null: every law's. */
export function Recommendations(
  props: { law: string | null; state: Filter; onState: (state: Filter) => void } & Sorting<RecommendationSort>,
): ReactNode {
  const { law, state, onState, ...sorting } = props;
  const list = useInfiniteQuery(recommendationsPages({ law: law ?? undefined, state, sort: sorting.sort }));
  const found = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section
      title="Recommendations"
      note="all so far, and what became of them"
      end={<CopyButton text={cli.recommendations(law, state)} curl={curls.recommendations(law, state)} />}
    >
      {(state || found.length > 0) && (
        <search className="list-filter">
          <Segmented<Recommendation["state"] | "all">
            label="State"
            value={state ?? "all"}
            options={[
              { key: "all", text: "All" },
              ...RECOMMENDATION_STATES.map((key) => ({ key, text: `${key.charAt(0).toUpperCase()}${key.slice(1)}` })),
            ]}
            onChange={(key) => onState(key === "all" ? undefined : key)}
          />
        </search>
      )}
      {list.error && <ProblemNote problem={asProblem(list.error)} />}
      {list.isPending && <p className="section-body t2 late">Loading recommendations</p>}
      {found.length > 0 && (
        <WideTable label="Recommendations">
          <Table label="Recommendations" columns={sortedHeads(COLUMNS, sorting)} rows={found} rowKey={({ id }) => id} />
        </WideTable>
      )}
      {list.data && found.length === 0 && (
        <p className="section-body t2">{state ? `No recommendation is ${state}.` : "None yet."}</p>
      )}
      {list.hasNextPage && (
        <p className="section-body">
          <Button small onClick={() => void list.fetchNextPage()}>
            {sorting.sort ? "More" : "Older"} recommendations
          </Button>
        </p>
      )}
    </Section>
  );
}

function Made({ of: { created_at } }: { of: Recommendation }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(created_at, now)}</span>;
}

function Measured({ of: one }: { of: Recommendation }): ReactNode {
  const measured = measuredGain(one);
  return measured ? (
    <b className="strong nowrap">{gainText(measured)}</b>
  ) : (
    <span className="t3" title={gainedText(one)}>
      –
    </span>
  );
}

/** By whom, and why where the law took it back. */
function State({ of: { state, decided_by, reason } }: { of: Recommendation }): ReactNode {
  return (
    <>
      <StateText look={RECOMMENDATION[state]}>
        {decided_by && state !== "withdrawn" ? ` by ${decided_by}` : ""}
      </StateText>
      {reason && <div className="t3">{reason}</div>}
    </>
  );
}
