/** Where a plan by an assigner of sfc2cpu puts newcomers on shared cores: what cores are asked for, and what is served. */

import type { ReactNode } from "react";
import type { AssignedEvidence, CostUsed, Evidence, HostEvidence, NetworkUsed } from "@/api/types";
import { count, duration, figure, percent, tick } from "@/lib/format";
import { Section } from "@/ui/section";
import { BesideAutomatic, SharedCores } from "./shared-cores";

export function AssignedSections({ evidence }: { evidence: Evidence }): ReactNode {
  return evidence.hosts.map(
    (host) => host.assigned && <AssignedSection key={host.host} host={host} assigned={host.assigned} />,
  );
}

function AssignedSection({ host, assigned }: { host: HostEvidence; assigned: AssignedEvidence }): ReactNode {
  const name = `Shared cores of ${host.host}`;
  return (
    <Section title={name} note={<>fullest {percent(assigned.fullest_percent)} %</>}>
      <p className="section-body t2">{assignedText(host, assigned)}</p>
      {assigned.cost && <p className="section-body t2">{costUsedText(assigned.cost)}</p>}
      {assigned.network && <p className="section-body t2">{networkUsedText(assigned.network)}</p>}
      <SharedCores label={name} cores={assigned.cores} full={assigned.usable_percent} />
      <BesideAutomatic chains={assigned.chains} />
    </Section>
  );
}

/** "Proved: no assignment asks its fullest core for less. An ideal host serves 3.0 of 3.0 Mpps. Nothing that runs moves." */
export function assignedText({ status }: Pick<HostEvidence, "status">, assigned: AssignedEvidence): string {
  const { bound_percent, bound_mpps, served_mpps, offered_mpps, moves, most_moves } = assigned;
  const packets = `${figure(served_mpps)} of ${figure(offered_mpps)} Mpps`;
  const served = assigned.cost
    ? `By costs that were fitted here ${packets} are served.`
    : `An ideal host serves ${packets}.`;
  const moved = moves === 0 ? "Nothing that runs moves." : `${count(moves, "move")}, ${most_moves} allowed.`;
  return `${proofOf(status, bound_percent, bound_mpps)} ${served} ${moved}`;
}

/** "What cores are asked for is by fitted costs, version 3, 2 h old when the plan was made; up to 5 % off in nine of ten of what the fit did not use." */
export function costUsedText({ version, age_s, left_out_error, guessed }: CostUsed): string {
  const guess =
    guessed.length === 0 ? "" : ` It does not know ${guessed.join(", ")}: the upper quartile of the others counts.`;
  return `What cores are asked for is by fitted costs, version ${version}, ${duration(age_s)} old when the plan was made; up to ${figure(100 * left_out_error)} % off in nine of ten of what the fit did not use.${guess}`;
}

/** "Chosen by network 664f30a36add, trained for 61,051 steps, for hosts with 4 cores that NFs may share." */
export function networkUsedText({ weights, steps, cores }: NetworkUsed): string {
  const name = weights.replace("sha256:", "").slice(0, 12);
  return `Chosen by network ${name}, trained for ${tick(steps)} steps, for hosts with ${cores} cores that NFs may share.`;
}

function proofOf(status: HostEvidence["status"], percents: number | null, mpps: number | null): string {
  if (percents !== null)
    return status === "optimal"
      ? "Proved: no assignment asks its fullest core for less."
      : `No assignment asks its fullest core for less than ${percent(percents)} %.`;
  return status === "optimal"
    ? "Proved: no assignment serves more."
    : `No assignment serves more than ${figure(mpps)} Mpps.`;
}
