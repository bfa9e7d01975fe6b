/** How many NFs share a core of the host: by its agent or by an operator, why, who stands beyond that, and a way to set
 * it. What its driver cannot do is said where it would be set. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { setCoreSlots } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { HostView, NfView } from "@/api/types";
import { when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { beyondSlots, type SlotChoice, slotsEditOf, slotsText, whyNotShared } from "./slots-edit";

export function CoreSlots({ host, nfs }: { host: HostView; nfs: readonly NfView[] }): ReactNode {
  const now = useNow();
  const cores = host.inventory?.cores;
  if (!cores) return null;
  const set = host.core_slots;
  const beyond = beyondSlots(cores, nfs);
  return (
    <Section title="Slots of a core" note={set ? "by an operator" : "by its agent"} end={<Edit host={host} />} padded>
      <dl className="facts" data-testid="core-slots">
        <dt>NFs a core</dt>
        <dd>{slotsText(cores)}</dd>
        {set && (
          <>
            <dt>Set to {set.slots}</dt>
            <dd>
              {set.reason} <span className="t3 nowrap">{`${set.by}, ${when(set.since, new Date(now))}`}</span>
              {set.not_met && <span className="warn"> Its agent's slots hold at present: {set.not_met}.</span>}
            </dd>
          </>
        )}
      </dl>
      {beyond.length > 0 && (
        <p className="warn">
          <Shape name="warn" />
          {beyond.join(", ")} {beyond.length === 1 ? "stays" : "stay"} beyond the slots until a plan moves{" "}
          {beyond.length === 1 ? "it" : "them"}: press Re-place host, above.
        </p>
      )}
    </Section>
  );
}

function Edit({ host }: { host: HostView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const denied = useActReason("hosts.maintain");
  // What was set while its driver could is taken back where it cannot any more.
  const reason = denied ?? (host.core_slots ? null : whyNotShared(host));
  return (
    <>
      <Button reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Set
      </Button>
      {asking && <EditForm host={host} onClose={() => setAsking(false)} />}
    </>
  );
}

const CHOICES = [
  { key: "agent", text: "By the machine's size" },
  { key: "exclusive", text: "A core each" },
  { key: "shared", text: "Shared" },
] as const;

function EditForm({ host, onClose }: { host: HostView; onClose: () => void }): ReactNode {
  // The version that was seen: what somebody else changes meanwhile is not undone.
  const [seen] = useState(host);
  const former = seen.core_slots?.slots ?? null;
  const [choice, setChoice] = useState<SlotChoice>(former === null ? "agent" : former === 1 ? "exclusive" : "shared");
  const [text, setText] = useState(former !== null && former > 1 ? `${former}` : "4");
  const [why, setWhy] = useState("");
  const edit = slotsEditOf(seen, choice, text);
  const reason = edit.slots === null ? null : why.trim();
  const order = useMutation({
    mutationFn: () => setCoreSlots(seen, edit.slots, reason),
    onSuccess: onClose,
  });
  const idle = edit.idle ?? (edit.slots !== null && why.trim() === "" ? "Give a reason first." : null);
  return (
    <Confirm
      open
      title={`Slots of a core of ${host.host_id}`}
      action="Set these slots"
      busy={order.isPending}
      reason={idle}
      onConfirm={() => order.mutate()}
      onClose={onClose}
    >
      <p>
        So many NFs may have each core that the host's agent offers to NFs. Where cores are shared, plans predict by
        time sharing. NFs beyond the slots stay until a plan moves them.
      </p>
      <Segmented label="How many NFs share a core" value={choice} options={CHOICES} onChange={setChoice} />
      {choice === "shared" && (
        <Field
          label="NFs a core"
          value={text}
          onChange={setText}
          inputMode="numeric"
          error={edit.error ?? undefined}
          hint="2 to 64"
        />
      )}
      {choice !== "agent" && (
        <Field label="Why" value={why} onChange={setWhy} hint="shown with the host and recorded in the audit log" />
      )}
      {idle === null && (
        <CopyButton
          text={cli.setCoreSlots(host.host_id, edit.slots, why.trim())}
          curl={curls.setCoreSlots(seen.host_id, seen.version, edit.slots, reason)}
        />
      )}
      {order.error && <ProblemNote problem={asProblem(order.error)} />}
    </Confirm>
  );
}
