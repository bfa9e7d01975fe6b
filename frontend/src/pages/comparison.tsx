/** One comparison: algorithms side by side on one snapshot, live while their plans are made. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { rejectPlan } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { comparisonQuery } from "@/api/queries";
import type { Comparison, PlanBrief } from "@/api/types";
import { ScorePlot } from "@/comparisons/score-plot";
import { SideBySide } from "@/comparisons/side-by-side";
import { comparisonSubject } from "@/comparisons/words";
import { ageOrTime, count, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

const route = getRouteApi("/shell/comparisons/$id");

export function ComparisonPage(): ReactNode {
  const id = Number(route.useParams().id);
  const { data, error } = useQuery(comparisonQuery(id));
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        path={
          <>
            <Link to="/plans">Plans</Link> / <Link to="/plans/compare">Comparisons</Link>
          </>
        }
        name={String(id)}
        facts={data ? <Facts comparison={data} /> : undefined}
        actions={data ? <Actions comparison={data} /> : undefined}
      />
      {error && !data && <ProblemNote problem={asProblem(error)} />}
      {!error && !data && <p className="empty late">Loading comparison {id}</p>}
      {data && <Review comparison={data} />}
    </main>
  );
}

function Facts({ comparison }: { comparison: Comparison }): ReactNode {
  const now = useNow();
  return (
    <>
      <span className="strong">{comparisonSubject(comparison)}</span>
      <span>
        {count(comparison.hosts, "host")}, {count(comparison.chains, "chain")}, taken {when(comparison.taken_at)}
      </span>
      <span>{comparison.time_limit_s} s each</span>
      <span>
        by {comparison.created_by}, {ageOrTime(comparison.created_at, now)}
      </span>
    </>
  );
}

function Actions({ comparison }: { comparison: Comparison }): ReactNode {
  const client = useQueryClient();
  const blocked = useActReason("plans.apply");
  const open = comparison.plans.filter(({ state }) => state === "planning");
  const cancel = useMutation({
    mutationFn: async () => {
      for (const { plan_id } of open) await rejectPlan(plan_id);
    },
    onSettled: () => void client.invalidateQueries(comparisonQuery(comparison.id)),
  });
  return (
    <>
      {cancel.error && (
        <span className="bad" role="alert">
          {asProblem(cancel.error).title}. {asProblem(cancel.error).detail}
        </span>
      )}
      <CopyButton text={cli.showComparison(comparison.id)} curl={curls.showComparison(comparison.id)} />
      {open.length > 0 && (
        <Button
          look="danger"
          onClick={() => cancel.mutate()}
          reason={cancel.isPending ? "The order is being sent." : blocked}
        >
          Cancel {count(open.length, "plan")}
        </Button>
      )}
    </>
  );
}

function Review({ comparison }: { comparison: Comparison }): ReactNode {
  const briefs = useLive((state) => state.plans);
  useFollow(comparison, briefs);
  return (
    <>
      {comparison.source === "file" && (
        <p className="state-line" role="status">
          <b className="strong">Study on a snapshot file: its plans cannot be applied.</b>{" "}
          <span className="t2">They refer to the hosts of {comparison.label}.</span>
        </p>
      )}
      <Section title="Side by side" note={`best: most value placed, then the highest score; ${boundNote(comparison)}`}>
        <SideBySide plans={comparison.plans} briefs={briefs} />
      </Section>
      <Section title="Score and bound" note="a dot is the plan's score, a tick its bound" padded>
        <ScorePlot plans={comparison.plans} />
        {comparison.plans.filter(({ score }) => score != null).length < 2 && (
          <p className="t2">Shown when two plans have a score.</p>
        )}
      </Section>
    </>
  );
}

/** With several hosts, each algorithm chooses hosts for the chains, and its bound is that of its own choice. */
function boundNote({ hosts }: Comparison): string {
  if (hosts === 1) return "the bound is what no placement can exceed";
  return "a bound holds for the plan's own choice of hosts, so another plan may exceed it";
}

/** The stream says when a plan is made; its figures are in the comparison. */
function useFollow(comparison: Comparison, briefs: ReadonlyMap<number, PlanBrief>): void {
  const client = useQueryClient();
  const behind = comparison.plans.some(({ plan_id, state }) => {
    const brief = briefs.get(plan_id);
    return brief !== undefined && brief.state !== state;
  });
  useEffect(() => {
    if (behind) void client.invalidateQueries(comparisonQuery(comparison.id));
  }, [behind, client, comparison.id]);
}
