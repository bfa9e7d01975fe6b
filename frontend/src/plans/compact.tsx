/** Where a plan by CoCo puts NFs on shared cores: what cores need, what passes between them, and the automatic choice beside it. */

import type { ReactNode } from "react";
import type { CompactEvidence, Evidence, HostEvidence } from "@/api/types";
import { count, figure, percent } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";

const HANDED = { same_core: "same core", same_node: "another core", other_node: "another node" } as const;

export function CompactSections({ evidence }: { evidence: Evidence }): ReactNode {
  return evidence.hosts.map(
    (host) => host.compact && <CompactSection key={host.host} host={host} compact={host.compact} />,
  );
}

function CompactSection({ host, compact }: { host: HostEvidence; compact: CompactEvidence }): ReactNode {
  const name = `Shared cores of ${host.host}`;
  return (
    <Section title={name} note={<>{figure(compact.delayed)} Mpps × hops</>}>
      <p className="section-body t2">{sentenceOf(host, compact)}</p>
      <Cores label={name} compact={compact} />
      <Hops compact={compact} />
      <Chains compact={compact} />
    </Section>
  );
}

/** "Proved: no placement of these chains costs less. By the automatic choice: 6.0." */
export function sentenceOf({ status }: Pick<HostEvidence, "status">, compact: CompactEvidence): string {
  const { cost, bound, automatic, moves, move_price, delays } = compact;
  const moved = moves > 0 ? ` Counted in: ${count(moves, "move")} at ${figure(move_price)} each.` : "";
  const proof =
    status === "optimal"
      ? "Proved: no placement of these chains costs less."
      : `Nothing costs less than ${figure(bound)}; this costs ${figure(cost)}.`;
  const other = automatic === null ? "" : ` By the automatic choice: ${figure(automatic)}.`;
  const hops = delays.measured
    ? `${figure(delays.same_node)} us, to another node ${figure(delays.other_node)} us, on its core ${figure(delays.same_core)} us (measured)`
    : `${delays.same_node}, to another node ${delays.other_node} (assumed, not measured here)`;
  return `${proof}${moved}${other} A hop to another core counts ${hops}.`;
}

function Cores({ label, compact }: { label: string; compact: CompactEvidence }): ReactNode {
  const used = compact.cores.filter((core) => core.before_percent + core.nfs_percent + core.others_percent > 0);
  const idle = compact.cores.length - used.length;
  return (
    <table aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Core</th>
          <th scope="col" className="num">
            NFs need now, %
          </th>
          <th scope="col" className="num">
            after, %
          </th>
          <th scope="col" className="num" title="Other work; on their core, the chains' source and sink">
            all else, %
          </th>
        </tr>
      </thead>
      <tbody>
        {used.map(({ core, before_percent, nfs_percent, others_percent }) => (
          <tr key={core}>
            <th scope="row">{core}</th>
            <td className="num">{percent(before_percent)}</td>
            <td className="num">
              <b className={nfs_percent + others_percent > compact.full_percent + 1e-6 ? "warn" : "strong"}>
                {percent(nfs_percent)}
              </b>
            </td>
            <td className="num">{percent(others_percent)}</td>
          </tr>
        ))}
        {idle > 0 && (
          <tr>
            <td className="t2" colSpan={4}>
              {count(idle, used.length > 0 ? "other core" : "core")} {idle === 1 ? "needs" : "need"} nothing, before and
              after
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Hops({ compact }: { compact: CompactEvidence }): ReactNode {
  if (compact.hops.length === 0) return null;
  const stay = compact.hops.filter(({ distance }) => distance === "same_core").length;
  return (
    <details className="section-body">
      <summary>
        {stay} of {count(compact.hops.length, "hop")} stay on a core
      </summary>
      <ul aria-label="Hops">
        {compact.hops.map(({ source, target, rate_mpps, distance }) => (
          <li key={source}>
            {source} → {target}: {figure(rate_mpps)} Mpps, {HANDED[distance]}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Chains({ compact }: { compact: CompactEvidence }): ReactNode {
  return (
    <table aria-label="Predicted, beside the automatic choice">
      <thead>
        <tr>
          <th scope="col">Chain</th>
          <th scope="col" className="num">
            <Mark origin="predicted" />
            here, Mpps
          </th>
          <th scope="col" className="num">
            <Mark origin="predicted" />
            automatic, Mpps
          </th>
        </tr>
      </thead>
      <tbody>
        {compact.chains.map(({ chain, mpps, automatic_mpps }) => (
          <tr key={chain}>
            <th scope="row">{chain}</th>
            <td className="num">{figure(mpps)}</td>
            <td className="num">{figure(automatic_mpps)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
