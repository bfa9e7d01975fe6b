/** What a host says it cannot do, and why. Pure. */

import type { ChainView, HostView } from "@/api/types";

/** That it measures how long packets take from ingress to egress. */
export const LATENCY = "latency";

/** That it holds packets back; whoever sends them itself can. */
export const PAUSE = "pause";

/** That it lets in by address and port what an order names. */
export const CLASSIFICATION = "classification";

/** The host's own reason; null where it can, or says nothing of it. */
export function whyCannot(host: Pick<HostView, "inventory"> | undefined, capability: string): string | null {
  const found = host?.inventory?.capabilities?.find(({ name }) => name === capability);
  return found && !found.available ? found.reason : null;
}

export interface Cannot {
  host: string;
  reason: string;
}

/** Of the hosts that a chain stands on, those that cannot, by name. */
export function cannotOf(chain: ChainView, hosts: ReadonlyMap<string, HostView>, capability: string): Cannot[] {
  const used = [...new Set(chain.placement.map(({ seat }) => seat.host))].sort();
  return used.flatMap((host) => {
    const reason = whyCannot(hosts.get(host), capability);
    return reason === null ? [] : [{ host, reason }];
  });
}

/** Only simulated hosts offer faults, and list that as a capability. */
export function offersFaults({ inventory }: HostView): boolean {
  return inventory?.capabilities?.some(({ name, available }) => name === "faults" && available) ?? false;
}
