/** One host in SRv6-INT's global loop, each second: its chains, what is recommended, and why nothing is changed. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { srv6HostQuery } from "@/api/srv6-queries";
import type { Recommendation, Srv6Host } from "@/api/types";
import { DecisionCard } from "@/automation/decision-card";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { ChainsTable } from "./chains-table";
import { headline, moveHeadline, startsText, uncountedText } from "./words";

export function Srv6HostView({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(srv6HostQuery(name));
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
            <CopyButton text={cli.srv6Host(name)} curl={curls.srv6Host(name)} />
          </>
        }
      >
        {recommended && <Card recommendation={recommended} host={data} />}
        <Facts host={data} />
        {data.chains.length > 0 && <ChainsTable chains={data.chains} />}
      </Section>
    </>
  );
}

function Card({ recommendation: one, host }: { recommendation: Recommendation; host: Srv6Host }): ReactNode {
  const moved = host.chains.find(({ recommended_host }) => recommended_host);
  if (moved?.recommended_host) {
    return (
      <DecisionCard
        recommendation={one}
        headline={moveHeadline(moved, moved.recommended_host)}
        because={one.because ?? host.reason}
      >
        <dt>Expected to cost</dt>
        <dd>its NFs start anew on the other host, and know none of its flows</dd>
      </DecisionCard>
    );
  }
  const chain = host.chains.find(({ recommended_lanes }) => recommended_lanes !== null);
  const starts = chain ? startsText(chain) : "";
  return (
    <DecisionCard
      recommendation={one}
      headline={chain?.recommended_lanes ? headline(chain, chain.recommended_lanes) : `Change ${one.chains.join(", ")}`}
      because={one.because ?? host.reason}
    >
      {starts !== "" && (
        <>
          <dt>Starts</dt>
          <dd>{starts}</dd>
        </>
      )}
      <dt>Expected to cost</dt>
      <dd>
        {starts === ""
          ? "no restart; flows of the lane that goes are new flows to the NFs of the others"
          : "no restart; the new lane starts before the others give it flows, which are new flows to its NFs"}
      </dd>
    </DecisionCard>
  );
}

function Facts({ host }: { host: Srv6Host }): ReactNode {
  const now = useNow();
  const unseen = Object.entries(host.unseen).toSorted();
  const uncounted = host.chains.flatMap((chain) => {
    const text = uncountedText(chain);
    return text === null ? [] : [`${chain.chain}: ${text}`];
  });
  return (
    <dl className="facts section-body">
      <dt>At present</dt>
      <dd>
        <b className="strong">{host.stopped ?? host.reason}</b>
      </dd>
      <dt>Evaluated</dt>
      <dd>{host.evaluated_at ? ageOrTime(host.evaluated_at, now) : "not yet"}</dd>
      {unseen.length > 0 && (
        <>
          <dt>Not known</dt>
          <dd className="warn">{unseen.map(([chain, why]) => `${chain}: ${why}`).join("; ")}</dd>
        </>
      )}
      {uncounted.length > 0 && (
        <>
          <dt>Not counted</dt>
          <dd>{uncounted.join("; ")}</dd>
        </>
      )}
      {host.rests_until && (
        <>
          <dt>Rests</dt>
          <dd>after a change no lanes are changed for a while: until {ageOrTime(host.rests_until, now)}</dd>
        </>
      )}
    </dl>
  );
}

function Note({ host: { mode, stopped, provenance } }: { host: Srv6Host }): ReactNode {
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
