/** What takes an NF's time: its own quota, or work beside it that is no NF, and whether somebody injected that. */

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
import { heldByQuota, quotaText } from "./quota-cause";

/** Of the NF that is measured to limit a chain; nothing where its quota gives it what it asks for and nothing stands there. */
export function BesideNf({ limit }: { limit: Limit }): ReactNode {
  const host = useLive((state) => state.hosts.get(limit.nf.seat.host));
  const beside = host ? besideOf(host, limit.nf) : null;
  const held = heldByQuota(limit);
  return host && (beside || held !== null) ? <Named host={host} beside={beside} held={held} by={limit.by} /> : null;
}

function Named(props: { host: HostView; beside: Beside | null; held: number | null; by: Limit["by"] }): ReactNode {
  const { host, beside, held, by } = props;
  const injected = useInjected(host);
  const sentences = held === null ? [] : [quotaText(held)];
  if (beside) {
    const cause = held === null && isCause(beside, by);
    sentences.push(...(cause ? causeText(beside, injected) : [`Also: ${besideText(beside, injected)}`]));
  }
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
