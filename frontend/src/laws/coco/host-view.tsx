/** One host in CoCo's law, each second: its cores, what is recommended, and why nothing is pushed. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cocoHostQuery } from "@/api/coco-queries";
import { asProblem } from "@/api/problem";
import type { CocoHost, Recommendation } from "@/api/types";
import { DecisionCard } from "@/automation/decision-card";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { PredictedGain } from "@/recommendations/predicted-gain";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { CoresPicture } from "./cores-picture";
import { DividedCores } from "./divided-cores";
import { MeasuredLines } from "./measured-lines";
import { elsewhereText, headline, lessText, loadsText, shareText, startText } from "./words";

export function CocoHostView({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(cocoHostQuery(name));
  const open = useLive((state) => state.recommendations);
  if (!data) {
    return (
      <Section title={`Host ${name}`}>
        {error ? (
          <PartProblem problem={asProblem(error)} />
        ) : (
          <p className="section-body t2 late">Loading host {name}</p>
        )}
      </Section>
    );
  }
  const recommended = [...open.values()].find(({ id }) => id === data.recommendation_id);
  return (
    <>
      {error && <PartProblem problem={asProblem(error)} />}
      <Section
        title={`Host ${name}`}
        note={<Note host={data} />}
        end={
          <>
            <Link to="/hosts/$id" params={{ id: name }}>
              Page of the host
            </Link>{" "}
            <CopyButton text={cli.cocoHost(name)} curl={curls.cocoHost(name)} />
          </>
        }
      >
        {recommended && <Card recommendation={recommended} host={data} />}
        <Facts host={data} />
        {data.shared_cores.length > 0 && <DividedCores cores={data.shared_cores} />}
        {data.cores.some(({ elements }) => elements.length > 0) && <CoresPicture host={data} />}
        {data.cores.some(({ elements }) => elements.length > 0) && <MeasuredLines host={data} />}
      </Section>
    </>
  );
}

function Card({ recommendation: one, host }: { recommendation: Recommendation; host: CocoHost }): ReactNode {
  const lanes = host.push?.lanes;
  if (host.push && lanes && lessText(lanes)) {
    return (
      <DecisionCard recommendation={one} headline={headline(one, host.push)} because={one.because ?? host.reason}>
        <dt>Goes</dt>
        <dd>
          {lessText(lanes)}; frees {shareText(host.push.freed)} of a core, and its seats
        </dd>
        <dt>Others</dt>
        <dd>{loadsText(lanes)}</dd>
        <dt>Expected to cost</dt>
        <dd>no restart; flows of the lane that goes are new flows to the NFs of the others</dd>
      </DecisionCard>
    );
  }
  return (
    <DecisionCard recommendation={one} headline={headline(one, host.push)} because={one.because ?? host.reason}>
      <dt>Gain</dt>
      <dd>
        <PredictedGain of={one} /> <span className="t2">what the chains of that core lose now</span>
      </dd>
      {host.push && (
        <>
          <dt>Core {host.push.core}</dt>
          <dd>
            lacks {shareText(host.push.lacks)} of its time; the {host.push.lanes ? "lanes free" : "push frees"}{" "}
            {shareText(host.push.freed)}
          </dd>
        </>
      )}
      {host.push?.lanes && (
        <>
          <dt>Starts {elsewhereText(host.push.lanes, host.host)}</dt>
          <dd>{host.push.lanes.starts.map((start) => startText(start, host.host)).join("; ")}</dd>
        </>
      )}
      <dt>Expected to cost</dt>
      <dd>
        {host.push?.lanes
          ? "no restart; the new lane starts before the others give it flows, which are new flows to its NFs"
          : "no restart; each NF that moves pauses for some milliseconds, and nothing is lost where rings have room"}
      </dd>
    </DecisionCard>
  );
}

function Facts({ host }: { host: CocoHost }): ReactNode {
  const now = useNow();
  return (
    <dl className="facts section-body">
      <dt>At present</dt>
      <dd>
        <b className="strong">{host.stopped ?? host.reason}</b>
      </dd>
      <dt>Evaluated</dt>
      <dd>{host.evaluated_at ? ageOrTime(host.evaluated_at, now) : "not yet"}</dd>
      {host.rests_until && (
        <>
          <dt>Rests</dt>
          <dd>after a push nothing is pushed for a while: until {ageOrTime(host.rests_until, now)}</dd>
        </>
      )}
    </dl>
  );
}

function Note({ host: { mode, stopped, provenance } }: { host: CocoHost }): ReactNode {
  return (
    <>
      policy: {mode}
      {stopped && (
        <span className="warn">
          {" "}
          <Shape name="warn" />
          no law acts here
        </span>
      )}
      {provenance ? (
        <>
          {" "}
          <Mark origin={provenance} />
          {provenance}
        </>
      ) : (
        " nothing was measured lately"
      )}
    </>
  );
}
