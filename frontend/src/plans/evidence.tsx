/** How the plan was found and what it rests on. */

import type { ReactNode } from "react";
import type { Doubt, Evidence, HostEvidence, Plan, PlanBody } from "@/api/types";
import { count, figure, thousands } from "@/lib/format";
import { Figure, Mark, Shape } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import { Section } from "@/ui/section";
import type { Column } from "@/ui/table";
import { algorithmText } from "./algorithms";
import { Candidates } from "./candidates";
import { ModelsUsed } from "./models-used";
import {
  byHostText,
  doubtOf,
  doubtOfHost,
  gapOf,
  gapText,
  isProvedByHost,
  predictorsOf,
  statusText,
  underText,
  verdictText,
} from "./status";

export function EvidenceSection({ plan, body }: { plan: Plan; body: PlanBody }): ReactNode {
  const { evidence } = body;
  const gap = gapOf(evidence);
  const limit = (evidence.solving ?? plan.solving).time_limit_s;
  const searched = evidence.algorithm !== null;
  const fleet = evidence.hosts.length > 1;
  // One assumed figure makes what is summed over chains an assumed one.
  const origin = body.predictions.some(({ provenance }) => provenance === "assumed") ? "assumed" : "predicted";
  const predicted = evidence.hosts.length === 0 || evidence.hosts.some(({ trusted }) => trusted);
  return (
    <Section title="Evidence" padded>
      <dl className="facts evidence">
        <dt>Status</dt>
        <dd>
          <StatusText evidence={evidence} gap={gap} />
        </dd>
        {gap !== null && (
          <>
            <dt>Gap</dt>
            <dd>
              {gap === 0 ? gapText(gap) : `at most ${gapText(gap)}`}
              <span className="t3">, score to bound{fleet && " with these chains on these hosts"}</span>
            </dd>
          </>
        )}
        {evidence.score !== null && (
          <>
            <dt>Score</dt>
            <dd>
              {predicted && <Mark origin={origin} />}
              {figure(evidence.score)}
              {evidence.bound !== null && `, bound ${figure(evidence.bound)}`}
              <span className="t3">
                {predicted ? " value × Mpps, less the cost of moves" : ": ranks placements, is not a prediction"}
              </span>
            </dd>
          </>
        )}
        {evidence.hosts.length === 1 && evidence.hosts[0]?.unproven && (
          <>
            <dt>Not proved</dt>
            <dd>{evidence.hosts[0].unproven}</dd>
          </>
        )}
        {evidence.hosts.length === 1 && evidence.hosts[0] && (evidence.hosts[0].candidates ?? []).length > 0 && (
          <>
            <dt>Compared</dt>
            <dd>
              <Candidates host={evidence.hosts[0]} />
            </dd>
          </>
        )}
        <dt>Throughput</dt>
        <dd>
          <Figure origin={origin} value={evidence.objective_mpps} unit="Mpps" why="No model covers this placement." />
          {!predicted && <span className="t3"> {sharedText(body)}</span>}
        </dd>
        <dt>Algorithm</dt>
        <dd>
          <AlgorithmUsed plan={plan} body={body} />
        </dd>
        <dt>Time</dt>
        <dd>
          {secondsText(evidence.seconds)}
          {searched && (evidence.seconds > limit ? `, of which at most ${limit} s for the search` : ` of ${limit} s`)}
          {evidence.stopped && (
            <span className="warn">
              {" "}
              <Shape name="warn" />
              stopped by the time limit
            </span>
          )}
        </dd>
        {!evidence.hosts.some(({ compact, assigned }) => compact ?? assigned) && (
          <>
            <dt>Tried</dt>
            <dd>
              {count(evidence.evaluations, "placement")}
              {evidence.exchanges > 0 && `, ${count(evidence.exchanges, "exchange")} between hosts`}
            </dd>
          </>
        )}
        <dt>Seed</dt>
        <dd>{evidence.seed}</dd>
        <dt>Models</dt>
        <dd>
          <ModelsUsed models={evidence.models} />
        </dd>
      </dl>
    </Section>
  );
}

/** What is predicted on shared cores, if anything. */
function sharedText({ predictions }: PlanBody): string {
  return predictions.some(({ predictor }) => predictor === "time-sharing")
    ? "shared cores: each chain by time sharing, see below"
    : "shared cores: Octans' model does not apply";
}

function StatusText({ evidence, gap }: { evidence: Evidence; gap: number | null }): ReactNode {
  const doubt = doubtOf(evidence);
  const byHost = isProvedByHost(evidence);
  const predictors = predictorsOf(evidence);
  const text = byHost ? byHostText(doubt, predictors) : statusText(evidence.status, gap, doubt, predictors);
  if (doubt !== null && (byHost || evidence.status === "optimal")) {
    return (
      <b
        className="strong warn"
        title="No placement has a higher score by these models, but the models were not tested, or their predictions were wrong."
      >
        <Shape name="warn" />
        {text}
      </b>
    );
  }
  const shape = { optimal: "ok", infeasible: "warn", feasible: null, as_ordered: null }[evidence.status] as
    | "ok"
    | "warn"
    | null;
  return (
    <b className={evidence.status === "infeasible" ? "strong warn" : "strong"}>
      {shape && <Shape name={shape} />}
      {text}
    </b>
  );
}

function AlgorithmUsed({ plan, body }: { plan: Plan; body: PlanBody }): ReactNode {
  const used = body.evidence.algorithm;
  const asked = algorithmText((body.evidence.solving ?? plan.solving).algorithm);
  if (used === null) return withoutAlgorithm(body);
  return (
    <>
      {used}
      {body.evidence.hosts.some(({ improved }) => improved) && ", then moves and swaps"}
      {asked !== used && <span className="t3">, asked for: {asked}</span>}
    </>
  );
}

function withoutAlgorithm({ intent }: PlanBody): string {
  if (intent.kind === "drain" || intent.kind === "relocate") return "none: nothing was searched";
  if (["migrate", "remove", "adjust", "resources", "restore", "align"].includes(intent.kind)) return "none: as ordered";
  return "none: shared cores are filled by free slots";
}

export function secondsText(seconds: number): string {
  if (seconds < 0.1) return `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${thousands(seconds)} s`;
}

const columns = (plan: Doubt | null): readonly Column<HostEvidence>[] => [
  { key: "host", head: "Host", cell: ({ host }) => <span className="nowrap">{host}</span> },
  {
    key: "algorithm",
    head: "Algorithm",
    cell: ({ algorithm, improved }) =>
      algorithm === null ? (
        <span className="t3">by occupancy</span>
      ) : (
        `${algorithm}${improved ? ", then moves and swaps" : ""}`
      ),
  },
  {
    key: "status",
    head: "Status",
    cell: (host) =>
      host.trusted ? (
        <HostStatus host={host} doubt={doubtOfHost(host, plan)} />
      ) : (
        <span className="t3" title="Shared cores: Octans' model does not apply, so its figures are not shown.">
          shared cores
        </span>
      ),
  },
  {
    key: "score",
    head: (
      <>
        <Mark origin="predicted" />
        score
      </>
    ),
    align: "right",
    cell: ({ score, trusted }) => (trusted ? figure(score) : "–"),
  },
  {
    key: "gap",
    head: "Gap",
    align: "right",
    cell: (host) => {
      const gap = host.trusted ? gapOf(host) : null;
      return gap === null ? "–" : gapText(gap);
    },
  },
  { key: "tried", head: "Evaluated", align: "right", cell: ({ evaluations }) => thousands(evaluations) },
];

function HostStatus({ host, doubt }: { host: HostEvidence; doubt: Doubt | null }): ReactNode {
  const warns = host.status === "infeasible" || (host.status === "optimal" && doubt !== null);
  return (
    <>
      <span className={warns ? "warn" : ""}>{verdictText(host.status, doubt)}</span>
      {doubt === null && host.algorithm && <span className="t3">{underText([host.predictor ?? "octans"])}</span>}
      {host.unproven && <span className="block t3">not proved: {host.unproven}</span>}
    </>
  );
}

/** Host by host, the widest gap first: there is most to gain from more time. */
export function HostEvidenceSection({ evidence }: { evidence: Evidence }): ReactNode {
  if (evidence.hosts.length < 2) return null;
  const doubt = doubtOf(evidence);
  const rows = [...evidence.hosts].sort((a, b) => (gapOf(b) ?? 0) - (gapOf(a) ?? 0));
  return (
    <Section title="Host by host" note={provedText(rows, doubt)}>
      <PagedTable
        label="Evidence by host"
        columns={columns(doubt)}
        rows={rows}
        rowKey={({ host }) => host}
        size={10}
        one="host"
      />
    </Section>
  );
}

/** "3 of 12 hosts optimal, 2 best under untested models". */
function provedText(hosts: readonly HostEvidence[], plan: Doubt | null): string {
  const best = hosts.filter(({ status, trusted }) => status === "optimal" && trusted);
  const counts = new Map<string, number>();
  for (const host of best) {
    const word = verdictText("optimal", doubtOfHost(host, plan));
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  if (counts.size === 0) return `none of ${count(hosts.length, "host")} proved optimal`;
  const [[word, first], ...others] = [...counts] as [[string, number], ...[string, number][]];
  const rest = others.map(([other, number]) => `, ${thousands(number)} ${other}`).join("");
  return `${thousands(first)} of ${count(hosts.length, "host")} ${word}${rest}`;
}
