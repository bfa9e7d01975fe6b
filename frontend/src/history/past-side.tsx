/** Beside the map of a moment: the pinned core, chains as they were, what happened around it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import { historySizeQuery } from "@/api/history-queries";
import type { PastFleet } from "@/api/types";
import { cpuFigure } from "@/fleet/cpu";
import type { Unit } from "@/fleet/model";
import { findSeat } from "@/fleet/seat";
import type { Fleet } from "@/fleet/use-fleet";
import { count, figure, latency, percent, sizeText } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";
import { Compared } from "./compared";
import { missedThen, type PastChain } from "./past-fleet";

const MOST = 40;

export function PastSide(props: {
  fleet: Fleet;
  past: PastFleet | null;
  pin: string | null;
  at: string;
  /** The moment that this one is compared with, and this one. */
  compared?: { before: string; after: string; onEnd: () => void } | undefined;
}): ReactNode {
  const { fleet, past, pin } = props;
  const seat = findSeat(fleet.models, fleet.layout.hosts, pin);
  return (
    <Side label="Details of the moment">
      {seat && <PinnedThen unit={seat.unit} />}
      {props.compared && <Compared {...props.compared} />}
      <ChainsThen past={past} at={props.at} />
      <HistorySize />
    </Side>
  );
}

/** Those that missed objectives first. */
export function ChainsThen({ past, at }: { past: PastFleet | null; at: string }): ReactNode {
  const chains = [...(past?.chains ?? [])].sort((a, b) => rank(a) - rank(b) || (a.chain < b.chain ? -1 : 1));
  return (
    <Section
      title="Chains then"
      note={past ? `${count(chains.filter((one) => missedThen(one)).length, "chain")} missed objectives` : ""}
    >
      {chains.slice(0, MOST).map((chain) => (
        <Chain key={`${chain.chain} ${chain.host}`} chain={chain} at={at} />
      ))}
      {past && chains.length === 0 && <p className="section-body t2">No chain was reported.</p>}
      {chains.length > MOST && <p className="section-body t2">and {chains.length - MOST} more</p>}
    </Section>
  );
}

/** How long what is kept, and what that takes. */
export function HistorySize(): ReactNode {
  const { data } = useQuery(historySizeQuery);
  if (!data) return null;
  return (
    <Section
      title="Kept"
      note={sizeText(data.bytes)}
      end={<CopyButton text={cli.historySize()} curl={curls.historySize()} />}
      padded
    >
      <dl className="facts">
        {data.levels.map(({ level, retention_days, bytes }) => (
          <Fragment key={level}>
            <dt>{level === "1s" ? "samples" : `rows of ${level}`}</dt>
            <dd>
              {count(retention_days, "day")}, {sizeText(bytes)}
            </dd>
          </Fragment>
        ))}
      </dl>
    </Section>
  );
}

const rank = (chain: PastChain) => (missedThen(chain) ? 0 : 1);

function Chain({ chain, at }: { chain: PastChain; at: string }): ReactNode {
  const missed = missedThen(chain);
  return (
    <div className="violation">
      {missed && <Shape name="bad" />}
      <Link to="/chains/$name" params={{ name: chain.chain }} search={{ at }}>
        {chain.chain}
      </Link>{" "}
      <span className="t2">
        on{" "}
        <Link to="/hosts/$id" params={{ id: chain.host }} search={{ at }}>
          {chain.host}
        </Link>
      </span>
      <div className="cause">
        <Mark origin={chain.provenance} />
        {figure(chain.delivered_mpps)} of {figure(chain.offered_mpps)} Mpps offered
        {chain.p95_us !== null && `, p95 ${latency(chain.p95_us)}`}
        {missed === null ? ", not judged" : missed ? `, objectives met in ${chain.met} of ${chain.judged} samples` : ""}
      </div>
    </div>
  );
}

export function PinnedThen({ unit }: { unit: Unit }): ReactNode {
  const { nf } = unit;
  return (
    <Section title={`${unit.host}, core ${unit.core.id}`} padded>
      {nf?.sample ? (
        <dl className="facts">
          <dt>NF</dt>
          <dd>{nf.nf_id}</dd>
          <dt>Utilisation</dt>
          <dd>{percent(nf.sample.utilisation_percent)} %</dd>
          <dt>CPU, %</dt>
          <dd>{cpuFigure(nf.sample)}</dd>
          <dt>Received</dt>
          <dd>{figure(nf.sample.rx_mpps)} Mpps</dd>
          <dt>Lost</dt>
          <dd>{figure(nf.sample.drop_mpps)} Mpps</dd>
        </dl>
      ) : (
        <p className="t2">No NF stood there.</p>
      )}
    </Section>
  );
}
