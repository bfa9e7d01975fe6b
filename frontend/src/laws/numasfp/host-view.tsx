/** One host in NUMASFP's law, each second: what is recommended, its nodes and chains, rates, and why nothing moves. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { numasfpHostQuery } from "@/api/numasfp-queries";
import { asProblem } from "@/api/problem";
import type { NumasfpHost, Recommendation } from "@/api/types";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { LawCard } from "./card";
import { ChainsOfLaw } from "./chains-table";
import { LawFacts } from "./facts";
import { NodePicture } from "./node-picture";
import { RateLines } from "./rate-lines";
import { Transfers } from "./transfers";

export function LawHost({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(numasfpHostQuery(name));
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
      <Known host={data} recommended={recommended} />
    </>
  );
}

function Known({ host, recommended }: { host: NumasfpHost; recommended: Recommendation | undefined }): ReactNode {
  return (
    <>
      <Section
        title={`Host ${host.host}`}
        note={<Note host={host} />}
        end={
          <>
            <Link to="/hosts/$id" params={{ id: host.host }}>
              Page of the host
            </Link>{" "}
            <CopyButton text={cli.numasfpHost(host.host)} curl={curls.numasfpHost(host.host)} />
          </>
        }
      >
        {recommended && <LawCard recommendation={recommended} host={host} />}
        <LawFacts host={host} />
        {host.chains.length === 0 ? (
          <p className="section-body t2">
            No chain runs here. <Link to="/chains/new">Submit one</Link>
          </p>
        ) : (
          <NodePicture host={host} />
        )}
      </Section>
      {host.chains.length > 0 && (
        <>
          <RateLines key={host.host} host={host} />
          <Section title="Chains" note={`${host.chains.length} on ${host.host}`}>
            <ChainsOfLaw host={host} />
          </Section>
          <Transfers transfers={host.transfers} />
        </>
      )}
    </>
  );
}

function Note({ host: { mode, stopped, provenance } }: { host: NumasfpHost }): ReactNode {
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
