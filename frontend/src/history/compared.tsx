/** Two moments of the fleet beside each other: what chains carried, and what stood elsewhere. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { differenceQuery } from "@/api/history-queries";
import { asProblem } from "@/api/problem";
import type { FleetDifference } from "@/api/types";
import { figure, signed } from "@/lib/format";
import { momentText } from "@/lib/time-axis";
import { useSettled } from "@/lib/use-settled";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { missedThen } from "./past-fleet";

type Chain = FleetDifference["chains"][number];
type Seat = FleetDifference["nfs"][number]["before"];

export function Compared(props: { before: string; after: string; onEnd: () => void }): ReactNode {
  const after = useSettled(props.after) ?? props.after;
  const { data, error } = useQuery(differenceQuery(props.before, after));
  const end = (
    <>
      <CopyButton text={cli.compareMoments(props.before, after)} curl={curls.compareMoments(props.before, after)} />{" "}
      <button type="button" className="btn small" onClick={props.onEnd}>
        End
      </button>
    </>
  );
  return (
    <Section title="Two moments" end={end}>
      {error && <PartProblem problem={asProblem(error)} />}
      {data && <Differences found={data} />}
    </Section>
  );
}

function Differences({ found }: { found: FleetDifference }): ReactNode {
  const [from, to] = [found.before, found.after].map((at) => momentText(Date.parse(at) / 1000));
  const nothing = found.chains.length === 0 && found.nfs.length === 0;
  return (
    <>
      <p className="section-body t2">
        From {from} to {to}, delivered Mpps
      </p>
      {nothing && <p className="section-body t2">No chain was reported at either moment.</p>}
      {[...found.chains]
        .sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)))
        .map((chain) => (
          <ChainLine key={chain.chain} chain={chain} />
        ))}
      {found.nfs.map((nf) => (
        <div className="violation" key={nf.nf_id}>
          <b className="strong">{nf.nf_id}</b>
          <div className="cause">
            {seatText(nf.before)} → {seatText(nf.after)}
          </div>
        </div>
      ))}
      {found.hosts_gone.length > 0 && (
        <p className="section-body t2">No longer reported: {found.hosts_gone.join(", ")}</p>
      )}
      {found.hosts_new.length > 0 && <p className="section-body t2">New: {found.hosts_new.join(", ")}</p>}
    </>
  );
}

/** One that came or went changed by all that it carried. */
function change({ before, after }: Chain): number {
  return (after?.delivered_mpps ?? 0) - (before?.delivered_mpps ?? 0);
}

function ChainLine({ chain }: { chain: Chain }): ReactNode {
  const { before, after } = chain;
  const [missed, was] = [after && missedThen(after), before && missedThen(before)];
  return (
    <div className="violation">
      {missed && <Shape name="bad" />}
      <Link to="/chains/$name" params={{ name: chain.chain }}>
        {chain.chain}
      </Link>
      <div className="cause">
        {(after ?? before) && <Mark origin={(after ?? before)?.provenance ?? "measured"} />}
        {figure(before?.delivered_mpps)} → {figure(after?.delivered_mpps)}
        {before && after && `, ${signed(change(chain))}`}
        {missed && !was && ", objectives missed now"}
        {was && missed === false && ", objectives met again"}
      </div>
    </div>
  );
}

function seatText(seat: Seat): string {
  return seat ? `${seat.host} core ${seat.core}` : "not there";
}
