/** A chain's path: how long each hop had its packets, as these measured it on their way. */

import type { ReactNode } from "react";
import type { ChainView, PathHop, Transit } from "@/api/types";
import { count, duration, latency } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { silentFor, withinHops } from "./parts";

const NOBODY: ReadonlySet<string> = new Set();

interface Hops {
  readonly chain: string;
  readonly hops: readonly PathHop[];
  /** Hosts whose figures are old, so that nobody knows whether their hops are the slowest. */
  readonly silent?: ReadonlySet<string>;
  /** How long packets took to hops, as far as it is known. */
  readonly transits?: readonly Transit[];
}

export function ChainPath({ chain }: { chain: ChainView }): ReactNode {
  const silent = silentFor(chain, useNow());
  const hops = chain.sample?.path ?? [];
  const transits = silent === null ? (chain.sample?.transits ?? []) : [];
  const within = silent === null ? withinHops(hops, transits, chain.sample?.p95_us) : null;
  return (
    <Section
      title="Path"
      note={
        <>
          <Mark origin="measured" /> measured inside the packets, last second
          {silent !== null && (
            <>
              {" · "}
              <Shape name="stale" />
              stale, {duration(silent)}
            </>
          )}
        </>
      }
    >
      <HopTable
        chain={chain.spec.name}
        hops={hops}
        silent={silent === null ? NOBODY : new Set(hops.map(({ device }) => device))}
        transits={transits}
      />
      {within !== null && (
        <p className="section-body">
          From the source to the sink packets take {latency(chain.sample?.p95_us)} (p95). <Elsewhere within={within} />
        </p>
      )}
    </Section>
  );
}

export function HopTable({ chain, hops, silent = NOBODY, transits = [] }: Hops): ReactNode {
  const to = new Map(transits.map((transit) => [transit.to, transit]));
  const slowest = Math.max(0, ...hops.map(({ device, p95_us }) => (silent.has(device) ? 0 : (p95_us ?? 0))));
  return (
    <table aria-label={`Path of ${chain}`}>
      <thead>
        <tr>
          <th scope="col">Hop</th>
          <th scope="col">On</th>
          <th scope="col">Time in it, p95</th>
          <th scope="col" className="num">
            Median
          </th>
          <th scope="col" className="num">
            p95
          </th>
          <th scope="col" className="num">
            Slowest packet
          </th>
          <th scope="col" className="num" title="How long, at least, it has not given back packets that it has">
            Not given back for
          </th>
          <th
            scope="col"
            className="num"
            title="The most packets that waited, in the last second or two, where they go on to another host; not collected where that host cannot read the queue"
          >
            Queue after it
          </th>
          {transits.length > 0 && (
            <th
              scope="col"
              className="num"
              title="From where packets left the hop before until they arrived here: median, and the 95th percentile in brackets"
            >
              Way to it
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {hops.map((hop, index) => (
          <tr key={hop.nf_id ?? `${hop.device} ${index}`}>
            <td>
              <span className="t3">{index + 1}</span> {hop.nf_id ?? hop.device}
            </td>
            <td className="t2">{hop.device}</td>
            <td>
              <Share
                of={silent.has(hop.device) ? null : hop.p95_us}
                most={slowest}
                none={silent.has(hop.device) ? "stale" : "no packet"}
              />
            </td>
            <td className="num">{latency(hop.latency_us)}</td>
            <td className="num">{latency(hop.p95_us)}</td>
            <td className="num">{latency(hop.most_us)}</td>
            <td className="num">{latency(hop.waits_us)}</td>
            <td className="num">{queueWords(hop, hops[index + 1])}</td>
            {transits.length > 0 && (
              <td className="num">{transitWords(hop.nf_id == null ? undefined : to.get(hop.nf_id))}</td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Behind a hop. Packets that go on to the next device pass a queue: without a figure its host did not collect it. */
function queueWords(hop: PathHop, next: PathHop | undefined): string {
  if (hop.queue_packets != null) return count(hop.queue_packets, "packet");
  return next !== undefined && next.device !== hop.device && hop.p95_us != null ? "not collected" : "–";
}

/** "12 µs (p95 40 µs)"; without figures clocks of hosts are apart, and only times within one are true. */
export function transitWords(transit: Transit | undefined): string {
  if (transit === undefined) return "–";
  if (transit.p50_us === null) return "clocks apart: NF latencies only";
  return `${latency(transit.p50_us)} (p95 ${latency(transit.p95_us)})`;
}

/** What an operator asks who sees short hops and a long whole: where packets were the rest of the time. */
export function Elsewhere({ within }: { within: number }): ReactNode {
  return (
    <>
      Hops and ways come to {latency(within)} of it, their p95 added up; the rest of the time packets wait at the source
      or before the sink, which run beside everything else on their hosts.
    </>
  );
}

/** Of the slowest hop; it is named in words, too. */
function Share(props: { of: number | null | undefined; most: number; none: string }): ReactNode {
  const { of, most, none } = props;
  if (of == null || most === 0) return <span className="t3">{none}</span>;
  return (
    <span className="hop-share">
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${(100 * of) / most}%` }} />
      </span>
      {of === most && <span className="strong">slowest</span>}
    </span>
  );
}
