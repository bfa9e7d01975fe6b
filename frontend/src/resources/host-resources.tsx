/** A host's cache ways and memory bandwidth: who has some of its own, and how many more can. */

import type { ReactNode } from "react";
import type { HostView, NfView } from "@/api/types";
import { groupsOf } from "@/capabilities/allocations";
import { whyNotGiven } from "@/capabilities/resources";
import { GivenByAgent, useGiven } from "@/laws/numasfp/allocation/given";
import { Section } from "@/ui/section";
import { ResourceStrips } from "./resource-strips";

export function HostResources({ host, nfs }: { host: HostView; nfs: readonly NfView[] }): ReactNode {
  const noWays = whyNotGiven(host, "llc_ways");
  const noBandwidth = whyNotGiven(host, "memory_bandwidth_percent");
  const groups = groupsOf(nfs, host);
  const law = useGiven(host);
  if (noWays !== null && noBandwidth !== null && groups === 0) return null;
  return (
    <Section title="Ways and bandwidth" note={groupsText(groups, host.inventory?.resource_groups ?? null)} padded>
      <ResourceStrips host={host} placed={nfs} said={law !== null} />
      {law && <GivenByAgent law={law} />}
      {noWays !== null && <p className="t2">LLC ways cannot be given here: {noWays}</p>}
      {noBandwidth === null && host.inventory?.thread_throttle_mode === "max" && (
        <p className="t2">
          Threads of one physical core are throttled together: while NFs with different limits run on them, all have the
          smallest.
        </p>
      )}
      {noBandwidth !== null && <p className="t2">Memory bandwidth cannot be limited here: {noBandwidth}</p>}
    </Section>
  );
}

/** "2 of at most 7 NFs and chains have some of their own". */
export function groupsText(groups: number, most: number | null): string {
  const of = most === null ? `${groups}` : `${groups} of at most ${most}`;
  return `${of} NFs and chains have some of their own`;
}
