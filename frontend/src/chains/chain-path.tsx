/** A chain's path: how long each hop had its packets, as these measured it on their way. */

import type { ReactNode } from "react";
import type { PathHop } from "@/api/types";
import { latency } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";

export function ChainPath({ chain, hops }: { chain: string; hops: readonly PathHop[] }): ReactNode {
  const slowest = Math.max(0, ...hops.map(({ p95_us }) => p95_us ?? 0));
  return (
    <Section
      title="Path"
      note={
        <>
          <Mark origin="measured" /> measured inside the packets, last second
        </>
      }
    >
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
                <Share of={hop.p95_us} most={slowest} />
              </td>
              <td className="num">{latency(hop.latency_us)}</td>
              <td className="num">{latency(hop.p95_us)}</td>
              <td className="num">{latency(hop.most_us)}</td>
              <td className="num">{latency(hop.waits_us)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

/** Of the slowest hop; it is named in words, too. */
function Share({ of, most }: { of: number | null | undefined; most: number }): ReactNode {
  if (of == null || most === 0) return <span className="t3">no packet</span>;
  return (
    <span className="hop-share">
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${(100 * of) / most}%` }} />
      </span>
      {of === most && <span className="strong">slowest</span>}
    </span>
  );
}
