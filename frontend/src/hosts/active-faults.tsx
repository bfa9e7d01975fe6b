/** What somebody ordered to go wrong on a simulated host and is not over, with the time that is left. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { faultsQuery } from "@/api/queries";
import type { HostView } from "@/api/types";
import { offersFaults } from "@/capabilities/cannot";
import { when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Section } from "@/ui/section";
import { faultLeft, faultText } from "./faults";

export function ActiveFaults({ host }: { host: HostView }): ReactNode {
  return offersFaults(host) ? <Known host={host} /> : null;
}

function Known({ host }: { host: HostView }): ReactNode {
  const { data, error } = useQuery(faultsQuery(host.host_id));
  const now = useNow();
  const active = (data?.faults ?? []).filter(({ until }) => until === null || Date.parse(until) > now);
  const unknown = error ? asProblem(error) : null;
  return (
    <Section title="Injected faults" note={unknown ? "not known now" : active.length || "none"}>
      {unknown && <p className="section-body t2">{unknown.detail}</p>}
      {!unknown &&
        active.map((each) => (
          <div className="happened" key={`${each.since} ${faultText(each.fault)}`}>
            <span className="t3">{when(each.since)}</span>
            <span>
              {faultText(each.fault)} <span className="t2">{faultLeft(each, now)}</span>
            </span>
          </div>
        ))}
    </Section>
  );
}
