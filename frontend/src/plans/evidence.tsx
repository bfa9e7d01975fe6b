/** How the plan was found, what it rests on, and what the independent checker says of it. */

import type { ReactNode } from "react";
import type { ChainPrediction, ChainView, PlanBody, SloVerdict } from "@/api/types";
import { DASH, figure, thousands } from "@/lib/format";
import { Figure, Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";

function withoutAlgorithm({ intent }: PlanBody): string {
  if (intent.kind === "migrate" || intent.kind === "remove") return "none: as ordered";
  return "none: shared cores are filled by occupancy";
}

export function EvidenceSection({ body }: { body: PlanBody }): ReactNode {
  const { evidence } = body;
  return (
    <Section title="Evidence" padded>
      <dl className="facts">
        <dt>Status</dt>
        <dd>{evidence.status.replace("_", " ")}</dd>
        <dt>Algorithm</dt>
        <dd>{evidence.algorithm ?? withoutAlgorithm(body)}</dd>
        <dt>Objective</dt>
        <dd>
          <Figure
            origin="predicted"
            value={evidence.objective_mpps}
            unit="Mpps"
            why="No model holds for this placement."
          />
        </dd>
        {evidence.score !== null && (
          <>
            <dt>Score</dt>
            <dd>
              {figure(evidence.score)}
              {evidence.bound !== null && `, bound ${figure(evidence.bound)}`}
            </dd>
          </>
        )}
        <dt>Tried</dt>
        <dd>
          {thousands(evidence.evaluations)} {evidence.evaluations === 1 ? "placement" : "placements"} in{" "}
          {evidence.seconds < 0.1 ? `${(evidence.seconds * 1000).toFixed(1)} ms` : `${evidence.seconds.toFixed(1)} s`}
        </dd>
        <dt>Seed</dt>
        <dd>{evidence.seed}</dd>
        <dt>Models</dt>
        <dd>
          {evidence.models.length === 0
            ? "none"
            : evidence.models.map((model) => (
                <div key={model.nf_type} title={model.host_model}>
                  <Mark origin={model.provenance} />
                  {model.nf_type} {model.version} <span className="t3">{model.provenance}</span>
                </div>
              ))}
        </dd>
      </dl>
    </Section>
  );
}

export function ChecksSection({ body }: { body: PlanBody }): ReactNode {
  const failed = body.checks.filter((finding) => !finding.ok);
  return (
    <Section title="Checks" note={`${body.checks.length - failed.length} of ${body.checks.length} hold`} padded>
      <ul className="checks">
        {[...failed, ...body.checks.filter((finding) => finding.ok)].map((finding) => (
          <li key={`${finding.check} ${finding.detail}`} className={finding.ok ? "" : "bad"}>
            <Shape name={finding.ok ? "ok" : "bad"} />
            <span>
              {finding.check} <span className={finding.ok ? "t3" : ""}>{finding.detail}</span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

export function PredictionsSection(props: { body: PlanBody; chains: ReadonlyMap<string, ChainView> }): ReactNode {
  return (
    <Section title="Chains it touches" note={props.body.predictions.length}>
      <table aria-label="Predictions">
        <thead>
          <tr>
            <th scope="col">Chain</th>
            <th scope="col" className="num">
              now, Mpps
            </th>
            <th scope="col" className="num">
              after, Mpps
            </th>
            <th scope="col">Objectives</th>
          </tr>
        </thead>
        <tbody>
          {props.body.predictions.map((prediction) => (
            <PredictionRow key={prediction.chain} prediction={prediction} chain={props.chains.get(prediction.chain)} />
          ))}
        </tbody>
      </table>
    </Section>
  );
}

function PredictionRow({
  prediction,
  chain,
}: {
  prediction: ChainPrediction;
  chain: ChainView | undefined;
}): ReactNode {
  return (
    <>
      <tr className={prediction.note ? "with-note" : ""}>
        <td>{prediction.chain}</td>
        <td className="num">
          {chain?.sample ? <Figure origin={chain.provenance} value={chain.sample.delivered_mpps} /> : DASH}
        </td>
        <td className="num">
          <Figure
            origin={prediction.provenance}
            value={prediction.throughput_mpps}
            low={prediction.low_mpps}
            high={prediction.high_mpps}
            {...(prediction.note ? { why: prediction.note } : {})}
          />
        </td>
        <td>
          <SloWord name="throughput" verdict={prediction.throughput_slo} />
          <SloWord name="latency" verdict={prediction.latency_slo} />
          {prediction.throughput_slo === null && prediction.latency_slo === null && <span className="t3">none</span>}
        </td>
      </tr>
      {prediction.note && (
        <tr className="note">
          <td colSpan={4} className="t3">
            {prediction.throughput_mpps === null && "Not predictable: "}
            {prediction.note}
            {prediction.provenance === "assumed" && ". Its model is assumed, not fitted"}
          </td>
        </tr>
      )}
    </>
  );
}

function SloWord({ name, verdict }: { name: string; verdict: SloVerdict | null }): ReactNode {
  if (verdict === null) return null;
  const shape = { met: "ok", missed: "bad", not_predictable: null } as const;
  const word = { met: "met", missed: "missed", not_predictable: "not predictable" }[verdict];
  const mark = shape[verdict];
  return (
    <div className={verdict === "missed" ? "bad nowrap" : verdict === "met" ? "nowrap" : "t3 nowrap"}>
      {mark && <Shape name={mark} />}
      {name} {word}
    </div>
  );
}
