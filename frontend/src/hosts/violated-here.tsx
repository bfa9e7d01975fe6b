/** The chains whose violation is measured to come from this host, and the cause of each. */

import type { ReactNode } from "react";
import { ViolatedChain } from "@/fleet/violated-chain";
import { Section } from "@/ui/section";
import type { HostData } from "./use-host";

/** More do not fit a column; the note says how many there are. */
const MOST = 6;

export function ViolatedHere({ data }: { data: HostData }): ReactNode {
  const here = data.violations.filter(({ limit }) => limit?.nf.seat.host === data.host.host_id);
  if (here.length === 0 || data.figures !== "present") return null;
  return (
    <Section title="Violated chains" note={here.length > MOST ? `${MOST} of ${here.length}` : "limited here"}>
      {here.slice(0, MOST).map((violation) => (
        <ViolatedChain key={violation.chain.spec.name} violation={violation} />
      ))}
    </Section>
  );
}
