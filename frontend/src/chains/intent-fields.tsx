/** What enters the chain, what it must deliver, and what it is worth. */

import type { ReactNode } from "react";
import type { FieldError } from "@/api/types";
import { useHostNames } from "@/live/host-names";
import { Choose } from "@/ui/choose";
import { Field } from "@/ui/field";
import { Section } from "@/ui/section";
import { Picker } from "@/ui/select";
import { type Draft, headersOf, NAME_RULE } from "./draft";
import { ExecutionField } from "./execution-field";
import { GroupFields } from "./group-fields";
import { TrafficFields } from "./traffic-fields";

const ANY_HOST = "any";

export function IntentFields(props: {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  errors: readonly FieldError[];
}): ReactNode {
  const { draft, set, errors } = props;
  const message = (field: string) => errors.find((error) => error.field === field)?.message;
  const names = useHostNames();
  const choices = [{ key: ANY_HOST, text: "the engine chooses" }, ...names.map((id) => ({ key: id, text: id }))];
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
      <Section title="Traffic" note="offered load" padded>
        <TrafficFields draft={draft} headers={headersOf(draft)} set={set} errors={errors} />
      </Section>
      <Section title="Execution" note="how NFs become processes" padded>
        <div className="fields">
          <ExecutionField
            value={draft.execution}
            onChange={(execution) => set({ execution })}
            error={message("execution")}
          />
          <p className="message t3">
            {draft.execution === "isolated"
              ? "Every NF is a process of its own, with its own CPU share and quota if set."
              : "Neighbours on one core share a process: fewer hops, but no CPU settings per NF, and they crash together."}
          </p>
        </div>
      </Section>
      <Section title="Objectives" note="leave empty for none" padded>
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
      <Section title="Anti-affinity" note="chains that it must not stand with" padded>
        <div className="fields">
          <GroupFields
            group={draft.group}
            scope={draft.scope}
            onChange={set}
            error={message("anti_affinity.group") ?? message("anti_affinity.scope")}
          />
        </div>
      </Section>
      <Section title="Ingress" note="which packets enter" padded>
        <div className="fields">
          <Choose
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
