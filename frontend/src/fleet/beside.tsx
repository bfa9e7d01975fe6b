/** Names the work beside an NF that is no NF, and whether somebody injected it. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { faultsQuery } from "@/api/queries";
import type { HostView } from "@/api/types";
import { offersFaults } from "@/capabilities/cannot";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { Mark } from "@/ui/marks";
import type { Limit } from "./limit";
import {
  type Beside,
  besideOf,
  besideText,
  causeText,
  injectedOn,
  injectedText,
  isCause,
  type OtherWork,
} from "./other-work";

/** Of the NF that is measured to limit a chain; nothing where nothing stands there. */
export function BesideNf({ limit }: { limit: Limit }): ReactNode {
  const host = useLive((state) => state.hosts.get(limit.nf.seat.host));
  const beside = host && besideOf(host, limit.nf);
  return host && beside ? <Named host={host} beside={beside} by={limit.by} /> : null;
}

function Named({ host, beside, by }: { host: HostView; beside: Beside; by: Limit["by"] }): ReactNode {
  const injected = useInjected(host);
  const sentences = isCause(beside, by) ? causeText(beside, injected) : [`Also: ${besideText(beside, injected)}`];
  return (
    <span className="block" data-testid="beside">
      <Mark origin={host.provenance} />
      {sentences.join(". ")}.
    </span>
  );
}

/** " (injected fault: noisy neighbour on memory)". */
export function Injected({ host, work }: { host: HostView; work: OtherWork }): ReactNode {
  return injectedText([work], useInjected(host));
}

function useInjected(host: HostView): ReadonlyMap<number, string> {
  const { data } = useQuery({ ...faultsQuery(host.host_id), enabled: offersFaults(host) });
  return injectedOn(data?.faults ?? [], useNow());
}
