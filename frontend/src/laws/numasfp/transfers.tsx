/** The section of ways that the agent took from one chain for another. */

import type { ReactNode } from "react";
import type { WayTransfer } from "@/api/types";
import { Section } from "@/ui/section";
import { TransfersTable } from "./allocation/transfers-table";

export function Transfers({ transfers }: { transfers: readonly WayTransfer[] }): ReactNode {
  return (
    <Section title="Ways handed from chain to chain" note="by the host’s agent, within the bounds of its order">
      {transfers.length === 0 ? (
        <p className="section-body t2">None was reported.</p>
      ) : (
        <TransfersTable transfers={transfers} />
      )}
    </Section>
  );
}
