/** What is profiled, where, beside what, and how exactly. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { Checkbox, CheckboxGroup, Label } from "react-aria-components";
import { nfTypesQuery } from "@/api/queries";
import type { NfType } from "@/api/types";
import { useLive } from "@/live/store";
import { Choose } from "@/ui/choose";
import { Field } from "@/ui/field";
import { Picker } from "@/ui/select";
import { type AskDraft, flowsOf, hostChoices, withPackets } from "./ask-draft";

interface FieldsProps {
  draft: AskDraft;
  set: (part: Partial<AskDraft>) => void;
  /** What is wrong with a field, by its name in the API. */
  message: (field: string) => string | undefined;
  /** As many as the host can play; null: any number. */
  mostFlows: number | null;
}

export function AskFields(props: FieldsProps): ReactNode {
  const { draft, set, message } = props;
  const types = useQuery(nfTypesQuery).data?.items ?? [];
  return (
    <>
      <div className="fields">
        <Picker
          label="NF type"
          value={draft.nfType || null}
          choices={types.map(({ name, implementation, version }) => ({
            key: name,
            text: name,
            note: implementation ? `runs ${implementation}, version ${version}` : `built in, version ${version}`,
          }))}
          onChange={(nfType) => set({ nfType })}
          placeholder="choose an NF type"
        />
        <Message text={message("nf_type")} />
        <HostField draft={draft} set={set} />
        <Message text={message("host")} />
        <Field
          label="Rate"
          value={draft.rate}
          onChange={(rate) => set({ rate, atLineRate: false })}
          unit="Mpps each"
          inputMode="decimal"
          hint="offered to each competitor; default 10 Gbps of such packets; empty: as fast as it can"
          error={message("rate_mpps")}
        />
        <Field
          label="Packet size"
          value={draft.packetBytes}
          onChange={(packetBytes) => set(withPackets(draft, packetBytes))}
          unit="bytes"
          inputMode="numeric"
          error={message("packet_bytes")}
        />
        <Field
          label="Interval"
          value={draft.halfWidth}
          onChange={(halfWidth) => set({ halfWidth })}
          unit="± %"
          inputMode="decimal"
          hint="a point ends when its 95 % interval is this narrow; of drops: points"
          error={message("half_width_percent")}
        />
      </div>
      <Competitors types={types} {...props} />
      <More {...props} />
    </>
  );
}

function Message({ text }: { text: string | undefined }): ReactNode {
  return text ? <p className="message bad">{text}</p> : null;
}

/** More hosts than a person reads through are typed. */
function HostField({ draft, set }: Pick<FieldsProps, "draft" | "set">): ReactNode {
  const hosts = useLive((state) => state.hosts);
  const choices = useMemo(() => hostChoices(hosts.values()), [hosts]);
  const chosen = choices.find(({ key }) => key === draft.host);
  if (choices.length === 0) return <p className="t2">No host is enrolled. Add one on the fleet page first.</p>;
  return (
    <>
      <Choose label="Host" value={draft.host} choices={choices} onChange={(host) => set({ host })} />
      {chosen && (
        <p className={chosen.disabled ? "message bad" : "message t3"}>
          {chosen.disabled
            ? `It cannot profile: ${chosen.note}`
            : `results hold for all hosts of the model ${chosen.note}`}
        </p>
      )}
    </>
  );
}

function Competitors({ draft, set, message, types }: FieldsProps & { types: readonly NfType[] }): ReactNode {
  const { competitors } = draft;
  return (
    <details open={message("competitors") !== undefined || undefined}>
      <summary>
        Competitors:{" "}
        <span className="t2">
          {competitors.length > 0 ? competitors.join(", ") : "chosen, from gentle to aggressive"}
        </span>
      </summary>
      <CheckboxGroup
        className="competitors"
        value={[...competitors]}
        onChange={(chosen) => set({ competitors: chosen })}
        aria-label="Competitors"
      >
        <Label className="t3 note">None selected: a set is chosen that spans the known range of aggressiveness.</Label>
        {types.map(({ name }) => (
          <Checkbox key={name} value={name} className="check">
            <span className="box" aria-hidden="true" />
            <span>{name}</span>
          </Checkbox>
        ))}
      </CheckboxGroup>
      <Message text={message("competitors")} />
    </details>
  );
}

function More({ draft, set, message, mostFlows }: FieldsProps): ReactNode {
  const flows = flowsOf(draft, mostFlows);
  const fields = ["most_competitors", "flows", "seconds", "max_samples"];
  const wrong = fields.some((field) => message(field) !== undefined);
  return (
    <details open={wrong || undefined}>
      <summary>
        More:{" "}
        <span className="t2">
          at most {draft.maxSamples} samples a point, {draft.seconds} s each, {flows} flows
          {draft.fresh && "; measured points again"}
        </span>
      </summary>
      <div className="fields">
        <Field
          label="Most at the same time"
          value={draft.mostCompetitors}
          onChange={(mostCompetitors) => set({ mostCompetitors })}
          unit="competitors"
          inputMode="numeric"
          hint="empty: as many as there are free cores for"
          error={message("most_competitors")}
        />
        <Field
          label="Flows"
          value={flows}
          onChange={(named) => set({ flows: named })}
          inputMode="numeric"
          hint={mostFlows === null ? undefined : `this host plays ${mostFlows} at most`}
          error={message("flows")}
        />
        <Field
          label="Sample"
          value={draft.seconds}
          onChange={(seconds) => set({ seconds })}
          unit="s"
          inputMode="decimal"
          error={message("seconds")}
        />
        <Field
          label="Most samples"
          value={draft.maxSamples}
          onChange={(maxSamples) => set({ maxSamples })}
          unit="a point"
          inputMode="numeric"
          error={message("max_samples")}
        />
        <Checkbox className="check" isSelected={draft.fresh} onChange={(fresh) => set({ fresh })}>
          <span className="box" aria-hidden="true" />
          <span>
            Measure again <span className="t3">points that were already measured at the same versions</span>
          </span>
        </Checkbox>
      </div>
    </details>
  );
}
