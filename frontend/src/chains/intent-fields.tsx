/** What enters the chain, what it must deliver, and what it is worth. */

import type { ReactNode } from "react";
import { useLive } from "@/live/store";
import { Field } from "@/ui/field";
import { Section } from "@/ui/section";
import { Picker } from "@/ui/select";
import { type Draft, NAME_RULE } from "./draft";

const ANY_HOST = "any";

export function IntentFields(props: {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  message: (field: string) => string | undefined;
}): ReactNode {
  const { draft, set, message } = props;
  const hosts = useLive((state) => state.hosts);
  const choices = [
    { key: ANY_HOST, text: "the engine chooses" },
    ...[...hosts.keys()].sort().map((id) => ({ key: id, text: id })),
  ];
  return (
    <>
      <Section title="Intent" padded>
        <div className="fields">
          <Field
            label="Name"
            value={draft.name}
            onChange={(name) => set({ name })}
            error={message("name")}
            hint={NAME_RULE}
            autoFocus
          />
        </div>
      </Section>
      <Section title="Traffic" note="what is offered" padded>
        <div className="fields">
          <Field
            label="Rate"
            value={draft.rate}
            onChange={(rate) => set({ rate })}
            unit="Mpps"
            inputMode="decimal"
            error={message("traffic.rate_mpps")}
          />
          <Field
            label="Packet size"
            value={draft.packetBytes}
            onChange={(packetBytes) => set({ packetBytes })}
            unit="bytes"
            inputMode="numeric"
            error={message("traffic.packet_bytes")}
          />
          <Field
            label="Flows"
            value={draft.flows}
            onChange={(flows) => set({ flows })}
            unit="5-tuples"
            inputMode="numeric"
            error={message("traffic.flows")}
          />
        </div>
      </Section>
      <Section title="Objectives" note="an empty one is not judged" padded>
        <div className="fields">
          <Field
            label="Throughput"
            value={draft.minThroughput}
            onChange={(minThroughput) => set({ minThroughput })}
            unit="Mpps at least"
            inputMode="decimal"
            error={message("slo.min_throughput_mpps")}
          />
          <Field
            label="Latency p95"
            value={draft.maxP95}
            onChange={(maxP95) => set({ maxP95 })}
            unit="ms at most"
            inputMode="decimal"
            error={message("slo.max_p95_ms")}
          />
          <Field
            label="Value"
            value={draft.value}
            onChange={(value) => set({ value })}
            unit="weight in plans"
            inputMode="decimal"
            error={message("value")}
          />
        </div>
      </Section>
      <Section title="Ingress" note="which packets enter" padded>
        <div className="fields">
          <Picker
            label="Host"
            value={draft.host === "" ? ANY_HOST : draft.host}
            choices={choices}
            onChange={(host) => set({ host: host === ANY_HOST ? "" : host })}
          />
          {message("ingress.host") && <p className="bad">{message("ingress.host")}</p>}
          <Field
            label="Source"
            value={draft.srcPrefix}
            onChange={(srcPrefix) => set({ srcPrefix })}
            error={message("ingress.match.src_prefix")}
          />
          <Field
            label="Destination"
            value={draft.dstPrefix}
            onChange={(dstPrefix) => set({ dstPrefix })}
            error={message("ingress.match.dst_prefix")}
          />
          <Picker
            label="Protocol"
            value={draft.protocol}
            choices={[
              { key: "udp", text: "udp" },
              { key: "tcp", text: "tcp" },
            ]}
            onChange={(protocol) => set({ protocol: protocol === "tcp" ? "tcp" : "udp" })}
          />
          <Field
            label="Port"
            value={draft.dstPort}
            onChange={(dstPort) => set({ dstPort })}
            unit="empty: varied"
            inputMode="numeric"
            error={message("ingress.match.dst_port")}
          />
        </div>
      </Section>
    </>
  );
}
