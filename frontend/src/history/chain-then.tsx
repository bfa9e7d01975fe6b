/** A chain as it was at a moment: what it carried, where its NFs stood and how they did. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PastOf } from "@/api/history-queries";
import { figure, latency } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";
import { type MomentActions, MomentBar } from "./moment-bar";
import type { MomentSearch } from "./moment-search";
import { NfsThen } from "./nfs-then";
import { missedThen, type PastChain } from "./past-fleet";
import { HistorySize } from "./past-side";
import { usePast } from "./use-past";

export function ChainThen(props: {
  name: string;
  search: MomentSearch & { at: string };
  actions: MomentActions;
  /** Charts over a range of time. */
  children: ReactNode;
}): ReactNode {
  const { name, search } = props;
  const of: PastOf = { chain: name };
  const past = usePast(search.at, of);
  const fleet = past?.fleet ?? null;
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/chains">Chains</Link>}
        name={name}
        actions={<CopyButton text={cli.chainThen(search.at, name)} curl={curls.chainThen(search.at, name)} />}
      />
      {past && <MomentBar search={search} past={past} of={of} actions={props.actions} />}
      <div className="columns">
        <div className="main">
          {props.children}
          {fleet && <NfsThen label={`NFs of ${name} then`} at={search.at} hosts={fleet.hosts} chain={name} />}
        </div>
        <Side label="Details of the moment">
          <Section title="Carried then" padded>
            {!fleet && !past?.problem && <p className="t2">Reading…</p>}
            {fleet?.chains.length === 0 && <p className="t2">The chain was not reported.</p>}
            {fleet?.chains.map((chain) => (
              <Carried key={chain.host} chain={chain} at={search.at} />
            ))}
          </Section>
          <HistorySize />
        </Side>
      </div>
    </main>
  );
}

function Carried({ chain, at }: { chain: PastChain; at: string }): ReactNode {
  const missed = missedThen(chain);
  return (
    <dl className="facts">
      <dt>Host</dt>
      <dd>
        <Link to="/hosts/$id" params={{ id: chain.host }} search={{ at }}>
          {chain.host}
        </Link>
      </dd>
      <dt>Delivered</dt>
      <dd>
        <Mark origin={chain.provenance} />
        {figure(chain.delivered_mpps)} of {figure(chain.offered_mpps)} Mpps offered
      </dd>
      <dt>Dropped</dt>
      <dd>{figure(chain.drop_mpps)} Mpps</dd>
      <dt>p95</dt>
      <dd>{latency(chain.p95_us)}</dd>
      <dt>Objectives</dt>
      <dd className={missed ? "bad" : undefined}>
        {missed && <Shape name="bad" />}
        {missed === null ? "not judged" : `met in ${chain.met} of ${chain.judged} samples`}
      </dd>
    </dl>
  );
}
