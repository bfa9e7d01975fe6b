/** Hosts that exchange chains: which of them runs both meanwhile, or what is interrupted because none has room. */

import type { ReactNode } from "react";
import type { LossPreview, PlanBody } from "@/api/types";
import { count } from "@/lib/format";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { LossTable } from "./loss";

export function HandoverSection({ body }: { body: PlanBody }): ReactNode {
  const { handover } = body;
  if (!handover) return null;
  const loss = handover.interrupts;
  return (
    <Section
      title="Exchange between hosts"
      note={loss ? "interrupts chains" : "no chain stops before it runs elsewhere"}
    >
      {(handover.between ?? []).map(({ content, generation }) => (
        <p key={content.host_id} className="section-body">
          <b className="strong">{content.host_id}</b> runs what comes to it beside what it runs (generation {generation}
          ) before it gives anything up.
        </p>
      ))}
      {loss && (
        <>
          <p className="section-body">
            <Mark origin="assumed" />
            <Interruption loss={loss} /> <span className="t2">{loss.basis}.</span>
          </p>
          <LossTable label="What the exchange interrupts" chains={loss.chains} />
        </>
      )}
    </Section>
  );
}

/** What applying the plan interrupts; null where nothing. */
export function interruptionOf(body: PlanBody | null): LossPreview | null {
  return body?.handover?.interrupts ?? null;
}

/** The budget that covers exactly what the plan says, and nothing beyond. */
export function allowing(loss: LossPreview): { most_packets: number; most_pause_ms: number } {
  return { most_packets: loss.packets, most_pause_ms: loss.pause_ms };
}

/** The question before such a plan is applied. */
export function InterruptionAsked({ loss }: { loss: LossPreview }): ReactNode {
  return (
    <>
      <p>
        No host has room for these chains beside what it runs, so each stops before it runs on its new host:{" "}
        <Interruption loss={loss} />
      </p>
      <ul>
        {loss.chains.map(({ chain, packets }) => (
          <li key={chain}>
            <Shape name="warn" />
            <b className="strong">{chain}</b>: {loss.pause_ms / 1000} s without a packet, {count(packets, "packet")}{" "}
            lost at most
          </li>
        ))}
      </ul>
      <p>
        Its time was not measured but assumed. Make room for one of them on either host to exchange them without loss.
      </p>
    </>
  );
}

function Interruption({ loss }: { loss: LossPreview }): ReactNode {
  return (
    <>
      <b className="strong">{count(loss.packets, "packet")}</b> lost at most, {loss.pause_ms / 1000} s without a packet.
    </>
  );
}
