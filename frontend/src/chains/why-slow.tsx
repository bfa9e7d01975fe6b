/** Why a chain is not faster: the NF that limits it by measurement, and what that loses, and to whom, by the model. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { asProblem } from "@/api/problem";
import { hostInterferenceQuery } from "@/api/queries";
import type { ChainView, Interference, NfView, Victim } from "@/api/types";
import { nfName } from "@/fleet/limit";
import { chainOfNf, lossSentence, partsOf, toWhom } from "@/interference/causes";
import { counterCauses } from "@/interference/counter-causes";
import { InterferenceMatrices } from "@/interference/matrices";
import { figure } from "@/lib/format";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { type Blame, blameOf } from "./blame";
import { Measured } from "./limited-by";

/** Causes that are named; the matrix has all. */
const NAMED = 5;

export function WhySlow({ chain, nfs }: { chain: ChainView; nfs: ReadonlyMap<string, NfView> }): ReactNode {
  const hosts = [...new Set(chain.placement.map(({ seat }) => seat.host))];
  if (hosts.length === 0) return null;
  return hosts.map((host) => <OnHost key={host} chain={chain} host={host} nfs={nfs} alone={hosts.length === 1} />);
}

function OnHost(props: {
  chain: ChainView;
  host: string;
  nfs: ReadonlyMap<string, NfView>;
  alone: boolean;
}): ReactNode {
  const { chain, host, nfs, alone } = props;
  const { data, error } = useQuery(hostInterferenceQuery(host));
  const [all, setAll] = useState(false);
  const problem = error ? asProblem(error) : null;
  const blame = blameOf(chain, [...nfs.values()], data);
  return (
    <Section
      title={alone ? "Why not faster" : `Why not faster: ${host}`}
      note="measurements first, then what the model predicts"
      end={<CopyButton text={cli.hostInterference(host)} curl={curls.hostInterference(host)} />}
    >
      <p className="section-body" data-testid="limit">
        <Measured chain={chain} nfs={nfs} blame={blame} />
      </p>
      <Counted host={host} nfs={nfs} />
      {problem && <PartProblem problem={problem} />}
      <Slowest chain={chain} interference={data} blame={blame} />
      {data && data.victims.length > 0 && (
        <div className="section-body row-actions">
          <button type="button" className="btn small" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Hide the other NFs" : `Interference on ${host}`}
          </button>
        </div>
      )}
      {data && all && <InterferenceMatrices interference={data} />}
    </Section>
  );
}

/** What is seen, beside what the model says. */
function Counted({ host: id, nfs }: { host: string; nfs: ReadonlyMap<string, NfView> }): ReactNode {
  const host = useLive((state) => state.hosts.get(id));
  const causes = host?.status === "up" ? counterCauses(host, [...nfs.values()]) : null;
  if (!host || causes === null) return null;
  return (
    <p className="section-body" data-testid="counter-causes">
      <Mark origin={host.provenance} />
      Counters:{" "}
      {causes.length > 0 ? `${causes.join("; ")}.` : "no bottleneck: caches, memory and link have room for this chain."}
    </p>
  );
}

/** The measured NF first; then what the model says of it, or of the one that it expects to give least. */
function Slowest(props: { chain: ChainView; interference: Interference | undefined; blame: Blame }): ReactNode {
  const { chain, interference, blame } = props;
  const { limit, victim } = blame;
  if (!interference) return null;
  const mark = <Mark origin={interference.provenance} />;
  if (!victim) {
    const why =
      interference.note ?? `${limit ? nfName(limit.nf) : "this chain"} is not covered by the model of this host`;
    return <p className="section-body t2">Not predictable: {why}.</p>;
  }
  const name = <b className="strong">{victim.nf_id.slice(chain.spec.name.length + 1)}</b>;
  return (
    <>
      <p className="section-body">
        {mark}
        {limit ? <>The model expects {name} to give</> : <>The model expects {name} to give least:</>}{" "}
        {figure(victim.mpps)} Mpps. It {lossSentence(victim)}.
      </p>
      <Causes victim={victim} />
    </>
  );
}

function Causes({ victim }: { victim: Victim }): ReactNode {
  const named = victim.causes.filter(({ lost_mpps }) => lost_mpps > 0).slice(0, NAMED);
  if (named.length === 0) return null;
  return (
    <table className="causes" aria-label={`What ${victim.nf_id} loses`}>
      <thead>
        <tr>
          <th scope="col">Loses</th>
          <th scope="col" className="num">
            in total{" "}
          </th>
          <th scope="col" className="num">
            by cache
          </th>
          <th scope="col" className="num">
            by memory
          </th>
        </tr>
      </thead>
      <tbody>
        {named.map((cause) => {
          const { cache, memory } = partsOf(cause, victim.ideal_mpps);
          return (
            <tr key={`${cause.kind} ${cause.nf_id}`}>
              <td>
                {cause.nf_id ? (
                  <Link to="/chains/$name" params={{ name: chainOfNf(cause.nf_id) }}>
                    {toWhom(cause)}
                  </Link>
                ) : (
                  toWhom(cause)
                )}
              </td>
              <td className="num">
                <b className="strong">{figure(cause.lost_mpps)}</b>
              </td>
              <td className="num">{figure(cache)}</td>
              <td className="num">{figure(memory)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
