/** One chain: its objectives, where its NFs stand, what it carried in the last seconds. */

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback, useMemo } from "react";
import type { ChainView, NfView } from "@/api/types";
import { CLASSIFICATION, LATENCY } from "@/capabilities/cannot";
import { useCannot } from "@/capabilities/use-cannot";
import { AdjustChain } from "@/chains/adjust-chain";
import { ChainCharts } from "@/chains/chain-charts";
import { ChainLanes } from "@/chains/chain-lanes";
import { ChainOutcomes } from "@/chains/chain-outcomes";
import { ChainPath } from "@/chains/chain-path";
import { ChainQuotas } from "@/chains/chain-quotas";
import { ChangeGroup } from "@/chains/change-group";
import { DeleteChain } from "@/chains/delete-chain";
import { Explanation } from "@/chains/explanation";
import { PacketCaptures } from "@/chains/packet-capture";
import { partWords, wholeOf } from "@/chains/parts";
import { PathThen } from "@/chains/path-then";
import { PlacementTable } from "@/chains/placement-table";
import { RelocateChain } from "@/chains/relocate-chain";
import { RuleCounts } from "@/chains/rule-counts";
import { ScaleChain } from "@/chains/scale-chain";
import { deliveredText, trafficWords } from "@/chains/traffic-words";
import { LatencyVerdict, ThroughputVerdict } from "@/chains/verdict";
import { WholePath } from "@/chains/whole-path";
import { WhySlow } from "@/chains/why-slow";
import { SCOPE_WORDS, standTogether, togetherWords } from "@/fleet/anti-affinity";
import { ChainHistory } from "@/history/chain-history";
import { ChainThen } from "@/history/chain-then";
import { aMomentAgo } from "@/history/moment-search";
import { SubjectChoice } from "@/history/subject-choice";
import { SubjectHistory } from "@/history/subject-history";
import { subjectOf } from "@/history/subjects";
import { DASH, figure, latency, when } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useLive, useLiveList } from "@/live/store";
import { runWords } from "@/plans/run-words";
import { ChainResources } from "@/resources/chain-resources";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { chainLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { CopyButton } from "@/ui/copy-button";
import { Later } from "@/ui/later";
import { Mark, Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";
import { type HistorySearch, historySearch } from "./searches";

type Change = { [K in keyof HistorySearch]?: HistorySearch[K] | undefined };

const route = getRouteApi("/shell/chains/$name");

export function ChainPage(): ReactNode {
  const { name } = route.useParams();
  const chain = useLive((state) => state.chains.get(name));
  if (!chain) return <Missing name={name} />;
  return <Chain key={name} chain={chain} />;
}

function Chain({ chain }: { chain: ChainView }): ReactNode {
  const [, ...rest] = useLiveList((state) => wholeOf(chain, state.chains.values()));
  const whole: readonly [ChainView, ...ChainView[]] = [chain, ...rest];
  const last = whole.at(-1) ?? chain;
  const nfs = useNfsOf(whole);
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/chains/$name" });
  const set = (change: Change) =>
    void navigate({ search: (old) => historySearch({ ...old, ...change }), replace: true });
  const move = useCallback(
    (at: string) => void navigate({ search: (old) => historySearch({ ...old, at }), replace: true }),
    [navigate],
  );
  const { spec } = chain;
  const history = <History chain={chain} search={search} set={set} />;
  if (search.at) {
    return (
      <ChainThen
        name={spec.name}
        search={{ ...search, at: search.at }}
        actions={{ move, back: () => set({ at: undefined }), span: (span) => set({ span }), compare: null }}
      >
        {history}
        {(spec.part || chain.sample?.path) && <PathThen chain={chain} at={search.at} />}
      </ChainThen>
    );
  }
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/chains">Chains</Link>}
        name={spec.name}
        facts={
          <>
            <span>
              <StateText look={chainLook(chain)} />
            </span>
            {chain.sample && (
              <span>
                <Mark origin={chain.provenance} />
                <b>{figure(last.sample?.delivered_mpps)}</b> of {figure(chain.sample.offered_mpps)} Mpps offered
              </span>
            )}
            {spec.part && (
              <span>{spec.part.number === 1 ? `over ${spec.part.count} hosts` : partWords(spec.part)}</span>
            )}
          </>
        }
        actions={
          <>
            <button type="button" className="btn" onClick={() => set({ at: aMomentAgo() })}>
              History
            </button>
            <CopyButton text={cli.showChain(spec.name)} curl={curls.showChain(spec.name)} />
            <RelocateChain chain={chain} />
            <ScaleChain chain={chain} />
            <DeleteChain chain={chain} />
          </>
        }
      />
      <div className="columns">
        <div className="main">
          {chain.state === "submitted" && <NotPlaced chain={chain} />}
          {spec.part && <WholePath part={spec.part} />}
          <Explanation chain={chain} nfs={nfs} />
          <ChainCharts chain={chain} last={last} />
          <Later>
            {history}
            <Section title="NFs" note={chain.sample ? "in the order packets pass them" : "in order"}>
              <PlacementTable whole={whole} nfs={nfs} />
            </Section>
            {whole.map((part) => (
              <RuleCounts key={part.spec.name} chain={part} nfs={nfs} />
            ))}
            {!spec.part && chain.sample?.path && <ChainPath chain={chain} />}
            {(spec.part || chain.sample?.path) && <PacketCaptures chain={spec.name} />}
            {spec.quota_bounds && <ChainQuotas chain={chain} />}
            {spec.traffic.lane && <ChainLanes lane={spec.traffic.lane} />}
            {chain.placement.length > 0 && <ChainResources chain={chain} />}
            <WhySlow chain={chain} nfs={nfs} />
            <ChainOutcomes name={spec.name} />
          </Later>
        </div>
        <Side label="Intent and objectives">
          <Objectives chain={last} />
          <div id="adjust">
            <Later>
              <AdjustChain chain={chain} nfs={nfs} />
            </Later>
          </div>
          <Later>
            <Intent chain={chain} />
          </Later>
        </Side>
      </div>
    </main>
  );
}

function History(props: { chain: ChainView; search: HistorySearch; set: (change: Change) => void }): ReactNode {
  const { chain, search, set } = props;
  const { name, nfs } = chain.spec;
  const subject = subjectOf(search, null);
  const shared = {
    search,
    onChange: (next: Change) => set({ range: undefined, from: undefined, to: undefined, ...next }),
    onAt: (at: string) => set({ at }),
    of: (
      <SubjectChoice
        own={`the chain ${name}`}
        groups={[{ label: "NFs", options: nfs.map((nf) => ({ key: `nf-${name}.${nf.name}`, text: nf.name })) }]}
        value={search.of}
        onChange={(of) => set({ of })}
      />
    ),
  };
  if (subject === null) return <ChainHistory chain={chain} {...shared} />;
  return <SubjectHistory subject={subject} {...shared} marksOf={{ chain: name }} then="The chain then" />;
}

function useNfsOf(chains: readonly ChainView[]): ReadonlyMap<string, NfView> {
  const places = chains.flatMap(({ placement }) => placement);
  const found = useLiveList(({ nfs }) => places.flatMap(({ nf_id, seat }) => nfs.get(seat.host)?.get(nf_id) ?? []));
  return useMemo(() => new Map(found.map((nf) => [nf.nf_id, nf])), [found]);
}

function NotPlaced({ chain }: { chain: ChainView }): ReactNode {
  return (
    <p className="empty">
      This chain is stored but not placed.{" "}
      {chain.plan_id !== null && (
        <Link to="/plans/$planId" params={{ planId: String(chain.plan_id) }}>
          Review plan {chain.plan_id}
        </Link>
      )}
    </p>
  );
}

function Objectives({ chain }: { chain: ChainView }): ReactNode {
  const { sample } = chain;
  const unmeasured = useCannot(chain, LATENCY);
  return (
    <Section title="Objectives" note={chain.provenance === "simulated" ? "by simulation" : "by measurement"} padded>
      <dl className="facts">
        <dt>Throughput</dt>
        <dd>
          <ThroughputVerdict chain={chain} />
        </dd>
        <dt>Latency</dt>
        <dd>
          <LatencyVerdict chain={chain} />
        </dd>
        <dt>Delivered</dt>
        <dd>
          <Mark origin={chain.provenance} />
          {deliveredText(sample)}
        </dd>
        <dt>p50, p95, p99, p99.9</dt>
        <dd>
          {unmeasured ? (
            <span className="t3">not measured on {unmeasured}</span>
          ) : (
            <>
              <Mark origin={chain.provenance} />
              {latency(sample?.p50_us)}, {latency(sample?.p95_us)}, {latency(sample?.p99_us)},{" "}
              {latency(sample?.p999_us)}
            </>
          )}
        </dd>
        <dt>Drops</dt>
        <dd>
          <Mark origin={chain.provenance} />
          {figure(sample?.drop_mpps)} Mpps lost, {figure(sample?.filtered_mpps)} filtered by rules
        </dd>
        {sample?.unmatched_mpps != null && (
          <>
            <dt>Left out</dt>
            <dd>
              <Mark origin={chain.provenance} />
              {figure(sample.unmatched_mpps)} Mpps of the capture not of the match, {figure(sample.malformed_mpps)}{" "}
              malformed
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}

function Intent({ chain }: { chain: ChainView }): ReactNode {
  const { spec } = chain;
  const { match } = spec.ingress;
  const unchecked = useCannot(chain, CLASSIFICATION);
  return (
    <Section title="Intent" note={`${chain.created_by}, ${when(chain.created_at)}`} padded>
      <dl className="facts">
        <dt>Traffic</dt>
        <dd>{trafficWords(spec.traffic)}</dd>
        <dt>Runs</dt>
        <dd>{runWords(spec) || "each NF in its own process"}</dd>
        <dt>Match</dt>
        <dd>
          {match.protocol} {match.src_prefix} → {match.dst_prefix}
          {match.dst_port ? ` port ${match.dst_port}` : ""}
          {unchecked && <div className="t3">not checked on {unchecked}</div>}
        </dd>
        <dt>Ingress</dt>
        <dd>{spec.ingress.host ?? "the engine chooses"}</dd>
        <dt>Value</dt>
        <dd>{spec.value}</dd>
        <dt>Anti-affinity</dt>
        <dd>
          <AntiAffinityFacts chain={chain} />
        </dd>
        <dt>Plan</dt>
        <dd>
          {chain.plan_id === null ? (
            DASH
          ) : (
            <Link to="/plans/$planId" params={{ planId: String(chain.plan_id) }}>
              plan {chain.plan_id}
            </Link>
          )}
        </dd>
        <dt>Operation</dt>
        <dd>
          {chain.operation_id === null ? (
            DASH
          ) : (
            <Link to="/operations/$operationId" params={{ operationId: String(chain.operation_id) }}>
              operation {chain.operation_id}
            </Link>
          )}
        </dd>
      </dl>
    </Section>
  );
}

function AntiAffinityFacts({ chain }: { chain: ChainView }): ReactNode {
  const group = chain.spec.anti_affinity;
  const members = useLiveList(({ chains }) =>
    group ? [...chains.values()].filter(({ spec }) => spec.anti_affinity?.group === group.group) : [],
  );
  const together = useMemo(() => standTogether(members).get(chain.spec.name), [members, chain.spec.name]);
  return (
    <>
      {group ? (
        <>
          <Link to="/chains" search={{ group: group.group }}>
            {group.group}
          </Link>
          : never shares {SCOPE_WORDS[group.scope ?? "host"]}
        </>
      ) : (
        "none"
      )}
      {together && (
        <div className="bad">
          <Shape name="bad" />
          {togetherWords(together)}: move one of them
        </div>
      )}
      <div className="row-actions">
        <ChangeGroup chain={chain} />
      </div>
    </>
  );
}

function Missing({ name }: { name: string }): ReactNode {
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle path={<Link to="/chains">Chains</Link>} name={name} />
      <p className="empty">
        <Claim>There is no chain {name}.</Claim> It may have been deleted. <Link to="/chains">All chains</Link>
      </p>
    </main>
  );
}
