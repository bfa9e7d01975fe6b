/** Sizes, arrivals, flows and payload of the packets, or a capture; of each kind only its own fields. */

import { type ReactNode, useState } from "react";
import type { FieldError } from "@/api/types";
import { ArtefactSetting } from "@/artefacts/artefact-setting";
import { MOST_BYTES } from "@/artefacts/files";
import { Field } from "@/ui/field";
import { Segmented } from "@/ui/segmented";
import { ArrivalsPicture } from "./arrivals-picture";
import { EMPTY_TRAFFIC, isSound, isWithin, type TrafficDraft } from "./traffic-draft";
import type { TrafficFieldsProps } from "./traffic-fields";
import type { Arrivals } from "./traffic-figures";

interface Props extends TrafficFieldsProps {
  /** What is drawn; null where they are constant, or wrong. */
  arrivals: Arrivals | null;
}

/** Draft fields that are behind the disclosure and say which kind is chosen. */
const CHOICES = ["packets", "sizes", "arrivals", "distribution", "payload", "seed"] as const;
/** Fields of the API that stand behind it. */
const INSIDE = ["sizes", "arrivals", "flow_distribution", "payload", "pcap", "seed"];

export function TrafficMore(props: Props): ReactNode {
  const { draft, set } = props;
  const [open, setOpen] = useState(() => CHOICES.some((name) => draft[name] !== EMPTY_TRAFFIC[name]));
  const wrong = !isSound(props.errors, ...INSIDE);
  return (
    <details className="more" open={open || wrong} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Sizes, arrivals, flows, payload</summary>
      <div className="fields">
        <Kind label="Packets" value={draft.packets} options={PACKETS} onChange={(packets) => set({ packets })} />
        {draft.packets === "capture" ? <CaptureFields {...props} /> : <SizeFields {...props} />}
        {!(draft.packets === "capture" && draft.timing === "file") && <ArrivalFields {...props} />}
        {draft.packets === "made" && <FlowFields {...props} />}
        {draft.packets === "made" && <PayloadFields {...props} />}
        <Field
          label="Seed"
          value={draft.seed}
          onChange={(seed) => set({ seed })}
          unit="empty: 1"
          inputMode="numeric"
          error={errorAt(props.errors, "seed")}
        />
      </div>
    </details>
  );
}

const PACKETS = [
  { key: "made", text: "Made" },
  { key: "capture", text: "Capture" },
] as const;
const TIMINGS = [
  { key: "rate", text: "The rate" },
  { key: "file", text: "Capture's own" },
] as const;
const SIZES = [
  { key: "fixed", text: "Fixed" },
  { key: "imix", text: "IMIX" },
  { key: "list", text: "List" },
] as const;
const ARRIVALS = [
  { key: "constant", text: "Constant" },
  { key: "poisson", text: "Poisson" },
  { key: "on-off", text: "On-off" },
  { key: "trace", text: "Trace" },
] as const;
const DISTRIBUTIONS = [
  { key: "round-robin", text: "Round-robin" },
  { key: "uniform", text: "Uniform" },
  { key: "zipf", text: "Zipf" },
] as const;
const PAYLOADS = [
  { key: "zero", text: "Zero" },
  { key: "random", text: "Random" },
  { key: "matches", text: "Matches" },
] as const;

function CaptureFields({ draft, set, errors }: Props): ReactNode {
  return (
    <>
      <ArtefactSetting
        setting={{
          name: "Capture",
          description: "Ethernet packets, sent in order and repeated",
          max_bytes: MOST_BYTES,
        }}
        kind="pcap"
        value={draft.capture}
        errors={[errorAt(errors, "pcap")].filter((text) => text !== undefined)}
        onChange={(capture) => set({ capture })}
      />
      <Kind label="Pace" value={draft.timing} options={TIMINGS} onChange={(timing) => set({ timing })} />
    </>
  );
}

function SizeFields({ draft, set, errors }: Props): ReactNode {
  const error = errorAt(errors, "sizes");
  return (
    <Kind
      label="Sizes"
      value={draft.sizes}
      options={SIZES}
      onChange={(sizes) => set({ sizes })}
      error={draft.sizes === "list" ? undefined : error}
      note={draft.sizes === "imix" ? "64, 594 and 1518 bytes at 7:4:1" : undefined}
    >
      {draft.sizes === "list" && (
        <Field
          label="List"
          value={draft.sizeList}
          onChange={(sizeList) => set({ sizeList })}
          hint="bytes:weight, separated by commas, at most 16"
          error={errorAt(errors, "sizes.entries") ?? error}
        />
      )}
    </Kind>
  );
}

function ArrivalFields({ draft, set, errors, arrivals: drawn }: Props): ReactNode {
  const own = { "on-off": ["arrivals.on_ms", "arrivals.off_ms"], trace: ["arrivals.steps"], constant: [], poisson: [] };
  return (
    <Kind
      label="Arrivals"
      value={draft.arrivals}
      options={ARRIVALS}
      onChange={(arrivals) => set({ arrivals })}
      error={errorAt(errors, "arrivals", own[draft.arrivals])}
    >
      {draft.arrivals === "on-off" && (
        <>
          <Field
            label="Burst"
            value={draft.onMs}
            onChange={(onMs) => set({ onMs })}
            unit="ms"
            inputMode="decimal"
            error={errorAt(errors, "arrivals.on_ms")}
          />
          <Field
            label="Silence"
            value={draft.offMs}
            onChange={(offMs) => set({ offMs })}
            unit="ms"
            inputMode="decimal"
            error={errorAt(errors, "arrivals.off_ms")}
          />
        </>
      )}
      {draft.arrivals === "trace" && (
        <Field
          label="Steps"
          value={draft.steps}
          onChange={(steps) => set({ steps })}
          hint="seconds:factor, separated by commas; repeated; the rate is the mean"
          error={errorAt(errors, "arrivals.steps")}
        />
      )}
      {drawn && <ArrivalsPicture arrivals={drawn} />}
    </Kind>
  );
}

function FlowFields({ draft, set, errors }: Props): ReactNode {
  const own = draft.distribution === "zipf" ? ["flow_distribution.exponent"] : [];
  return (
    <Kind
      label="Flows by"
      value={draft.distribution}
      options={DISTRIBUTIONS}
      onChange={(distribution) => set({ distribution })}
      error={errorAt(errors, "flow_distribution", own)}
    >
      {draft.distribution === "zipf" && (
        <Field
          label="Exponent"
          value={draft.exponent}
          onChange={(exponent) => set({ exponent })}
          inputMode="decimal"
          hint="flow k has a share of k to the power of minus this"
          error={errorAt(errors, "flow_distribution.exponent")}
        />
      )}
    </Kind>
  );
}

function PayloadFields({ draft, set, errors }: Props): ReactNode {
  const own = draft.payload === "matches" ? ["payload.percent", "payload.strings"] : [];
  return (
    <Kind
      label="Payload"
      value={draft.payload}
      options={PAYLOADS}
      onChange={(payload) => set({ payload })}
      error={errorAt(errors, "payload", own)}
    >
      {draft.payload === "matches" && (
        <>
          <Field
            label="Matching"
            value={draft.percent}
            onChange={(percent) => set({ percent })}
            unit="% of packets"
            inputMode="decimal"
            error={errorAt(errors, "payload.percent")}
          />
          <Field
            label="Strings"
            value={draft.strings}
            onChange={(strings) => set({ strings })}
            rows={3}
            hint="one per line, 4 to 64 bytes; each matching packet carries one of them"
            error={errorAt(errors, "payload.strings")}
          />
        </>
      )}
    </Kind>
  );
}

/** The first error at `traffic.<field>` or inside it, unless a field of its own shows it; where inside, it is said. */
function errorAt(errors: readonly FieldError[], field: string, elsewhere: readonly string[] = []): string | undefined {
  const path = `traffic.${field}`;
  const error = errors.find(
    (each) => isWithin(each.field, path) && !elsewhere.some((other) => isWithin(each.field, `traffic.${other}`)),
  );
  if (!error) return undefined;
  const inside = error.field.slice(path.length + 1);
  return inside && inside !== "file" ? `${inside}: ${error.message}` : error.message;
}

/** A choice of a kind, and below it the fields of the chosen one. */
function Kind<K extends TrafficDraft["packets" | "sizes" | "arrivals" | "distribution" | "payload" | "timing"]>(props: {
  label: string;
  value: K;
  options: readonly { key: K; text: string }[];
  onChange: (key: K) => void;
  note?: string | undefined;
  error?: string | undefined;
  children?: ReactNode;
}): ReactNode {
  const { label, value, options, onChange, note, error, children } = props;
  return (
    <>
      <div className="field">
        <span className="t2" aria-hidden="true">
          {label}
        </span>
        <Segmented label={label} value={value} options={options} onChange={onChange} />
        {note && <span className="message">{note}</span>}
        {error && (
          <span className="message bad" role="alert">
            {error}
          </span>
        )}
      </div>
      {children}
    </>
  );
}
