/** Names the work beside an NF that is no NF, and whether somebody injected it. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { faultsQuery } from "@/api/queries";
import type { HostView, NfView } from "@/api/types";
import { offersFaults } from "@/capabilities/cannot";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { Mark } from "@/ui/marks";
import { type Beside, besideOf, besideText, injectedOn, injectedText, type OtherWork } from "./other-work";

/** Nothing where nothing stands there. */
export function BesideNf({ nf }: { nf: NfView }): ReactNode {
  const host = useLive((state) => state.hosts.get(nf.seat.host));
  const beside = host && besideOf(host, nf);
  return host && beside ? <Named host={host} beside={beside} /> : null;
}

function Named({ host, beside }: { host: HostView; beside: Beside }): ReactNode {
  return (
    <span className="block" data-testid="beside">
      <Mark origin={host.provenance} />
      Beside it, {besideText(beside, useInjected(host))}.
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
