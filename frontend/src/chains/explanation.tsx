/** Explain a slow chain: measured against predicted, what limits it, who takes how much, and what to do. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type {
  ChainPrediction,
  ChainView,
  Interference,
  NfView,
  PlanBody,
  StandingPrediction,
  Victim,
} from "@/api/types";
import { whyCannot } from "@/capabilities/cannot";
import type { Forecast } from "@/fleet/predictions";
import { differenceText } from "@/lib/difference";
import { figure, signed } from "@/lib/format";
import { useLive } from "@/live/store";
import { IntervalBar } from "@/plans/interval-bar";
import { ReplaceFleet } from "@/plans/replace";
import { StartProfile } from "@/profiling/start-profile";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { VerdictText } from "@/trust/trust-word";
import { intervalText, predictorName } from "@/trust/words";
import { CopyButton } from "@/ui/copy-button";
import { Figure, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { asPrediction, type Remedy, remediesOf, type Standing, sinceThen } from "./explain";
import { useFacts } from "./explanation-facts";
import { LimitedBy } from "./limited-by";

export function Explanation({ chain, nfs }: { chain: ChainView; nfs: ReadonlyMap<string, NfView> }): ReactNode {
  const facts = useFacts(chain, nfs);
  if (chain.placement.length === 0) return null;
  const { prediction, standing, trust } = facts;
  return (
    <Section
      title="Predicted and measured"
      note={<StandingNote standing={standing} />}
      end={<CopyButton text={cli.outcomesOfChain(chain.spec.name)} curl={curls.outcomesOfChain(chain.spec.name)} />}
    >
      <div className="explanation">
        <dl className="facts">
          <dt>Measured</dt>
          <dd>
            <MeasuredText chain={chain} now={facts.now} />
          </dd>
          <dt>Predicted</dt>
          <dd>
            <Predicted {...facts} chain={chain} />
          </dd>
          <ModelNow
            prediction={prediction}
            plan={facts.plan}
            interference={facts.interference}
            expected={facts.expected}
          />
          <dt>Difference</dt>
          <dd>
            <DifferenceText standing={standing} />
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
          <dt>Limited by</dt>
          <dd>
            <LimitedBy chain={chain} nfs={nfs} blame={facts.blame} origin={facts.interference?.provenance} />
          </dd>
        </dl>
        <WhatToDo chain={chain} remedies={remediesOf({ ...facts, sample: chain.sample })} seat={facts.seat} />
      </div>
    </Section>
  );
}

function StandingNote({ standing }: { standing: Standing }): ReactNode {
  switch (standing.kind) {
    case "no-data":
      return "it has no measurements now";
    case "not-predicted":
      return "not predictable";
    case "not-tested":
      return "not tested";
    case "tested":
      if (standing.inside === null) return "no interval: the prediction uses figures that were never tested here";
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

/** The ten seconds that the difference is of; the newest second where nothing is in force. */
function MeasuredText({ chain, now }: { chain: ChainView; now: StandingPrediction | null | undefined }): ReactNode {
  const { sample, provenance } = chain;
  const mean = now?.measured_mpps != null ? now : null;
  const offered = mean?.offered_mpps ?? sample?.offered_mpps;
  return (
    <>
      <Figure origin={provenance} value={mean?.measured_mpps ?? sample?.delivered_mpps} why="no sample" />
      {offered != null && ` of ${figure(offered)} Mpps offered`}
      {mean && <span className="t3">, last 10 s</span>}
    </>
  );
}

interface PredictedProps {
  chain: ChainView;
  prediction: ChainPrediction | undefined;
  planId: number | null;
  forecast: Forecast | null;
  now: StandingPrediction | null | undefined;
}

function Predicted({ chain, prediction, planId, forecast, now }: PredictedProps): ReactNode {
  const shown = now ? asPrediction(now, prediction) : prediction;
  if (!shown || shown.throughput_mpps === null) {
    return <span className="t3">not predictable{shown?.note && `: ${shown.note}`}</span>;
  }
  const predictor = forecast?.predictor ?? shown.predictor;
  return (
    <>
      <Figure
        origin={shown.provenance}
        value={shown.throughput_mpps}
        unit="Mpps"
        low={shown.low_mpps}
        high={shown.high_mpps}
      />
      <span className="t2">
        {shown.interval_source && ` ${intervalText(shown)}`}
        {predictor && ` by ${predictorName(predictor)}`},{" "}
        {planId !== null && (
          <Link to="/plans/$planId" params={{ planId: String(planId) }}>
            plan {planId}
          </Link>
        )}
        {now === null && ", not in force"}
      </span>
      <IntervalBar prediction={shown} now={chain} />
    </>
  );
}

function DifferenceText({ standing }: { standing: Standing }): ReactNode {
  if (standing.kind === "not-tested" || standing.kind === "not-predicted") {
    return <span className="t2">{standing.why}</span>;
  }
  if (standing.kind === "no-data") return <span className="t3">not known</span>;
  const { difference, percent, inside } = standing;
  return (
    <span className={inside === false ? "warn" : ""}>
      {percent !== null && `${differenceText(percent)} % of predicted, `}
      {signed(difference)} Mpps
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
  /** The NF that the model expects to give least. */
  expected: Victim | null;
}): ReactNode {
  const { prediction, plan, interference, expected } = props;
  const then = prediction?.capacity_mpps ?? prediction?.throughput_mpps ?? null;
  if (!interference || !expected || then === null || Math.abs(expected.mpps - then) <= CLOSE * then) return null;
  return (
    <>
      <dt>Model now</dt>
      <dd>
        <Figure origin={interference.provenance} value={expected.mpps} unit="Mpps" />
        <span className="t2">, {sinceThen(plan, interference)}</span>
      </dd>
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
  if (remedies.length === 0) return <p className="t2">Nothing to do: it carries all of its offered rate.</p>;
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
