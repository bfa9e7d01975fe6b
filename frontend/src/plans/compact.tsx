/** Where a plan by CoCo puts NFs on shared cores: what cores need, what passes between them, and the automatic choice beside it. */

import type { ReactNode } from "react";
import type { CompactEvidence, Evidence, HostEvidence } from "@/api/types";
import { count, figure } from "@/lib/format";
import { Section } from "@/ui/section";
import { BesideAutomatic, SharedCores } from "./shared-cores";

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
      <SharedCores label={name} cores={compact.cores} full={compact.full_percent} />
      <Hops compact={compact} />
      <BesideAutomatic chains={compact.chains} />
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
