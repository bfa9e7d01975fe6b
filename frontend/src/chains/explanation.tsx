/** Explain a slow chain: measured against predicted, what limits it, who takes how much, and what to do. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { trustQuery } from "@/api/model-queries";
import { hostInterferenceQuery, planQuery } from "@/api/queries";
import type { ChainPrediction, ChainView, Interference, PlanBody, Victim } from "@/api/types";
import { cli } from "@/app/cli";
import { ReplaceFleet } from "@/fleet/replace-fleet";
import { whyCannot } from "@/hosts/cannot";
import { bottleneckOf, lossText, nfText } from "@/interference/causes";
import { figure, signed } from "@/lib/format";
import { useLive } from "@/live/store";
import { IntervalBar } from "@/plans/interval-bar";
import { StartProfile } from "@/profiling/start-profile";
import { VerdictText } from "@/trust/trust-word";
import { intervalText, predictorName } from "@/trust/words";
import { CopyButton } from "@/ui/copy-button";
import { Figure, Mark, type Origin, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Remedy, remediesOf, type Standing, sinceThen, standingOf, takersOf } from "./explain";

export function Explanation({ chain }: { chain: ChainView }): ReactNode {
  const facts = useFacts(chain);
  if (chain.placement.length === 0) return null;
  const { prediction, standing, victim, trust } = facts;
  return (
    <Section
      title="As predicted?"
      note={<StandingNote standing={standing} />}
      end={<CopyButton text={cli.outcomesOfChain(chain.spec.name)} />}
    >
      <div className="explanation">
        <dl className="facts">
          <dt>Measured</dt>
          <dd>
            <Figure origin={chain.provenance} value={chain.sample?.delivered_mpps} why="no sample of it" />
            {chain.sample && ` of ${figure(chain.sample.offered_mpps)} Mpps offered`}
          </dd>
          <dt>Predicted</dt>
          <dd>
            <Predicted chain={chain} prediction={prediction} />
          </dd>
          <ModelNow prediction={prediction} plan={facts.plan} interference={facts.interference} victim={victim} />
          <dt>Difference</dt>
          <dd>
            <DifferenceText standing={standing} origin={prediction?.provenance ?? "predicted"} />
          </dd>
          {trust && (
            <>
              <dt>Trust</dt>
              <dd>
                <VerdictText verdict={trust.verdict} />
                <span className="t2">
                  , {trust.version} of {trust.nf_type}: {trust.why}
                </span>
              </dd>
            </>
          )}
          <dt>Slowest NF</dt>
          <dd>
            <Limit victim={victim} predicted={prediction} />
          </dd>
        </dl>
        <WhatToDo chain={chain} remedies={remediesOf({ ...facts, sample: chain.sample })} seat={facts.seat} />
      </div>
    </Section>
  );
}

/** What the plan that placed it predicted, what limits it now, and how far that predictor is trusted there. */
function useFacts(chain: ChainView) {
  const { spec, plan_id: planId, placement } = chain;
  const plan = useQuery({ ...planQuery(planId ?? 0), enabled: planId !== null });
  const body = plan.data?.body ?? undefined;
  const prediction = body?.predictions.find((each) => each.chain === spec.name);
  const hosts = [...new Set(placement.map(({ seat }) => seat.host))];
  const bottleneck = prediction?.bottleneck ?? null;
  const host = placement.find(({ nf_id }) => nf_id === bottleneck)?.seat.host ?? hosts[0] ?? "";
  const interference = useQuery({ ...hostInterferenceQuery(host), enabled: host !== "" });
  const victim = interference.data ? bottleneckOf(interference.data, spec.name) : null;
  const limiting = bottleneck ?? victim?.nf_id ?? null;
  const nfType = spec.nfs.find(({ name }) => `${spec.name}.${name}` === limiting)?.type ?? null;
  const hostModel = useLive((state) => state.hosts.get(host)?.inventory?.host_model);
  const trusts = useQuery({ ...trustQuery(nfType ?? ""), enabled: nfType !== null });
  const trust = trusts.data?.find(
    (each) => each.host_model === hostModel && each.predictor === (prediction?.predictor ?? "octans"),
  );
  const standing = standingOf({ sample: chain.sample, paused: spec.paused ?? false }, prediction);
  const { data: now } = interference;
  return { prediction, plan: body, standing, victim, trust, interference: now, seat: { host, nfType } };
}

function StandingNote({ standing }: { standing: Standing }): ReactNode {
  switch (standing.kind) {
    case "no-data":
      return "nothing is measured of it now";
    case "not-predicted":
      return "not predictable";
    case "not-tested":
      return "not tested: it carries all that it is offered";
    case "tested":
      if (standing.inside === null) return "no interval: the prediction rests on figures that were never tested here";
      return standing.inside ? (
        "inside the predicted interval"
      ) : (
        <span className="warn">
          <Shape name="warn" />
          outside the predicted interval
        </span>
      );
  }
}

function Predicted({ chain, prediction }: { chain: ChainView; prediction: ChainPrediction | undefined }): ReactNode {
  if (!prediction || prediction.throughput_mpps === null) {
    return <span className="t3">not predictable{prediction?.note && `: ${prediction.note}`}</span>;
  }
  return (
    <>
      <Figure
        origin={prediction.provenance}
        value={prediction.throughput_mpps}
        unit="Mpps"
        low={prediction.low_mpps}
        high={prediction.high_mpps}
      />
      <span className="t2">
        {prediction.interval_source && ` ${intervalText(prediction)}`}
        {prediction.predictor && ` by ${predictorName(prediction.predictor)}`},{" "}
        {chain.plan_id !== null && (
          <Link to="/plans/$planId" params={{ planId: String(chain.plan_id) }}>
            plan {chain.plan_id}
          </Link>
        )}
      </span>
      <IntervalBar prediction={prediction} now={chain} />
    </>
  );
}

function DifferenceText({ standing, origin }: { standing: Standing; origin: Origin }): ReactNode {
  if (standing.kind === "not-tested") {
    return (
      <span className="t2">
        not tested: it could carry <Mark origin={origin} />
        {figure(standing.capacity)} Mpps
      </span>
    );
  }
  if (standing.kind !== "tested") return <span className="t3">not known</span>;
  const { difference, percent, inside } = standing;
  return (
    <span className={inside === false ? "warn" : ""}>
      {signed(difference)} Mpps
      {percent !== null && Math.abs(percent) < 1000 && ` (${signed(Number(percent.toFixed(1)))} %)`}
      <span className="t3">, measured less predicted</span>
    </span>
  );
}

/** A gap below this share is not worth a line. */
const CLOSE = 0.01;

/** What the models in use say with all that runs beside it now, where that is not what its plan knew. */
function ModelNow(props: {
  prediction: ChainPrediction | undefined;
  plan: PlanBody | undefined;
  interference: Interference | undefined;
  victim: Victim | null;
}): ReactNode {
  const { prediction, plan, interference, victim } = props;
  const then = prediction?.capacity_mpps ?? prediction?.throughput_mpps ?? null;
  if (!interference || !victim || then === null || Math.abs(victim.mpps - then) <= CLOSE * then) return null;
  return (
    <>
      <dt>Model now</dt>
      <dd>
        <Figure origin={interference.provenance} value={victim.mpps} unit="Mpps" />
        <span className="t2">, {sinceThen(plan, interference)}</span>
      </dd>
    </>
  );
}

/** Takers that are named; the tables below have all. */
const NAMED = 2;

function Limit({ victim, predicted }: { victim: Victim | null; predicted: ChainPrediction | undefined }): ReactNode {
  const id = victim?.nf_id ?? predicted?.bottleneck ?? null;
  if (id === null) return <span className="t3">not known</span>;
  const takers = takersOf(victim).slice(0, NAMED);
  return (
    <>
      <b className="strong">{nfText(id).split(" of ")[0]}</b>
      {victim && <span className="t2"> {lossText(victim)}</span>}
      {takers.map(({ nf, chain, lost: taken }) => (
        <span key={nf} className="t2">
          , {figure(taken)} to{" "}
          <Link to="/chains/$name" params={{ name: chain }}>
            {nfText(nf)}
          </Link>
        </span>
      ))}
    </>
  );
}

function WhatToDo(props: {
  chain: ChainView;
  remedies: readonly Remedy[];
  seat: { host: string; nfType: string | null };
}): ReactNode {
  const { chain, remedies, seat } = props;
  const cannotProfile = useLive(({ hosts }) => whyCannot(hosts.get(seat.host), "profiling"));
  if (remedies.length === 0) return <p className="t2">Nothing to do: it carries what it is offered.</p>;
  return (
    <ul className="remedies" aria-label="What to do">
      {remedies.map(({ kind, why }) => (
        <li key={kind}>
          {kind === "replace" && <ReplaceFleet />}
          {kind === "profile" && (
            <StartProfile
              nfType={seat.nfType ?? undefined}
              host={seat.host}
              label={seat.nfType ? `Profile ${seat.nfType}` : "Profile"}
              reason={cannotProfile && `${seat.host} cannot profile: ${cannotProfile}`}
            />
          )}
          {kind === "ask-less" && (
            <a className="btn" href="#adjust">
              Change its rate
            </a>
          )}
          <span className="t2">
            {why}
            {kind === "ask-less" && chain.sample && `: ${figure(chain.sample.delivered_mpps)} Mpps`}
          </span>
        </li>
      ))}
    </ul>
  );
}
