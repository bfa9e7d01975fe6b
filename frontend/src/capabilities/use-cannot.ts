/** What a chain's hosts cannot do, as it is shown beside the chain. */

import type { ChainView } from "@/api/types";
import { useLive } from "@/live/store";
import { cannotOf } from "./cannot";

/** The first of its hosts that cannot, with the reason, "edge-1: no root helper answers"; null where all can. */
export function useCannot(chain: ChainView, capability: string): string | null {
  return useLive(({ hosts }) => {
    const [first] = cannotOf(chain, hosts, capability);
    return first ? `${first.host}: ${first.reason}` : null;
  });
}
