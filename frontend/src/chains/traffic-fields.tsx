/** What is offered to a chain: rate, size and flows at once, everything else behind one disclosure. */

import type { ReactNode } from "react";
import type { FieldError } from "@/api/types";
import { figure } from "@/lib/format";
import { Field } from "@/ui/field";
import { checkTraffic, isSound, type TrafficDraft } from "./traffic-draft";
import { type HeaderKind, offered, type Traffic } from "./traffic-figures";
import { TrafficMore } from "./traffic-more";

export interface TrafficFieldsProps {
  draft: TrafficDraft;
  headers: HeaderKind;
  set: (part: Partial<TrafficDraft>) => void;
  errors: readonly FieldError[];
}

export function TrafficFields(props: TrafficFieldsProps): ReactNode {
  const { draft, set, errors } = props;
  const checked = checkTraffic(draft, props.headers);
  const sound = (...fields: string[]) => isSound(checked.errors, ...fields);
  const message = (field: string) => errors.find((error) => error.field === `traffic.${field}`)?.message;
  const capture = draft.packets === "capture";
  return (
    <div className="fields">
      <Field
        label="Rate"
        value={draft.rate}
        onChange={(rate) => set({ rate })}
        unit="Mpps"
        inputMode="decimal"
        error={message("rate_mpps")}
        hint={sound("rate_mpps", "packet_bytes", "sizes", "arrivals") ? rateHint(checked.read) : undefined}
      />
      {!capture && draft.sizes !== "fixed" ? (
        <FixedField
          label="Packet size"
          text={sound("sizes") ? `${figure(offered(checked.read).bytes)} B on average` : "as below"}
        />
      ) : (
        <Field
          label="Packet size"
          value={draft.packetBytes}
          onChange={(packetBytes) => set({ packetBytes })}
          unit={capture ? "bytes, planned with" : "bytes"}
          inputMode="numeric"
          error={message("packet_bytes")}
        />
      )}
      {capture ? (
        <FixedField label="Flows" text="as in the capture" />
      ) : (
        <Field
          label="Flows"
          value={draft.flows}
          onChange={(flows) => set({ flows })}
          unit="5-tuples"
          inputMode="numeric"
          error={message("flows")}
        />
      )}
      <TrafficMore {...props} arrivals={sound("arrivals") ? (checked.read.arrivals ?? null) : null} />
    </div>
  );
}

/** In a field's place what follows from other fields. */
function FixedField({ label, text }: { label: string; text: string }): ReactNode {
  return (
    <div className="field">
      <span className="t2">{label}</span>
      <span>{text}</span>
    </div>
  );
}

/** "0.10 Gbps, 0.50 Mpps at the peak". */
function rateHint(traffic: Traffic): string | undefined {
  if (traffic.pcap?.timing === "file") return "0 sends nothing; otherwise at the pace of the capture";
  const { gbps, peakMpps } = offered(traffic);
  const peak = peakMpps > traffic.rate_mpps ? `, ${figure(peakMpps)} Mpps at the peak` : "";
  return `${figure(gbps)} Gbps${traffic.pcap ? " as planned with" : ""}${peak}`;
}
