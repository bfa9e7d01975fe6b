/** What chains were offered before and after a change, where that differs: less carried of less offered is no loss. Pure. */

import type { MoveOutcome } from "@/api/types";
import { figure } from "@/lib/format";

/** Of what was offered before: less is no other load. */
const ALIKE = 0.01;

/** "; offered 6.4 Gbps, 10.3 before"; empty where the load was the same, or is not known of every chain. */
export function otherLoad({ chains }: Pick<MoveOutcome, "chains">): string {
  let [before, after] = [0, 0];
  for (const { offered_before_gbps, offered_after_gbps } of chains) {
    if (offered_before_gbps == null || offered_after_gbps == null) return "";
    before += offered_before_gbps;
    after += offered_after_gbps;
  }
  return Math.abs(after - before) <= ALIKE * before ? "" : `; offered ${figure(after)} Gbps, ${figure(before)} before`;
}
