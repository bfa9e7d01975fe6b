/** Cores of the host that operators keep from NFs: which, why, what is left, who still stands there, and a way to edit
 * them. Cores that its agent reserves are not an operator's to give. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { setReservedCores } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { HostView, NfView, ReservedCore } from "@/api/types";
import { coresForNfs, whyReserved } from "@/capabilities/cores";
import { count, when } from "@/lib/format";
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
import { type CoreEdit, editOf, ranges } from "./core-list";

export function ReservedCores({ host, nfs }: { host: HostView; nfs: readonly NfView[] }): ReactNode {
  const now = useNow();
  const cores = host.inventory?.cores;
  if (!cores) return null;
  const reserved = host.reserved_cores;
  const standing = nfs.filter(({ seat }) => whyReserved(cores, seat.core) !== null);
  return (
    <Section title="Reserved cores" note={reserved.length || "none by operators"} end={<Edit host={host} />} padded>
      <dl className="facts" data-testid="reserved-cores">
        {reserved.map((one) => (
          <Reserved key={one.core} one={one} missing={!cores.some(({ id }) => id === one.core)} now={now} />
        ))}
        <dt>Left for NFs</dt>
        <dd>{leftText(host)}</dd>
      </dl>
      {standing.length > 0 && (
        <p className="warn">
          <Shape name="warn" />
          {standing.map(({ nf_id }) => nf_id).join(", ")} {standing.length === 1 ? "stays" : "stay"} on a reserved core
          until a plan moves {standing.length === 1 ? "it" : "them"}: press Re-place host, above.
        </p>
      )}
    </Section>
  );
}

function Reserved({ one, missing, now }: { one: ReservedCore; missing: boolean; now: number }): ReactNode {
  return (
    <>
      <dt>Core {one.core}</dt>
      <dd>
        {one.reason} <span className="t3 nowrap">{`${one.by}, ${when(one.since, new Date(now))}`}</span>
        {missing && <span className="warn"> The machine has no core {one.core} any more.</span>}
      </dd>
    </>
  );
}

/** "5 of 8 cores: 2, 4-7". */
function leftText({ inventory }: HostView): ReactNode {
  const cores = inventory?.cores ?? [];
  const left = coresForNfs(cores);
  if (left.length === 0) return <span className="bad">no core: give some back</span>;
  return `${left.length} of ${count(cores.length, "core")}: ${ranges(left)}`;
}

function Edit({ host }: { host: HostView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const denied = useActReason("hosts.maintain");
  return (
    <>
      <Button reason={denied} reasonSide="below-left" onClick={() => setAsking(true)}>
        Edit
      </Button>
      {asking && <EditForm host={host} onClose={() => setAsking(false)} />}
    </>
  );
}

function EditForm({ host, onClose }: { host: HostView; onClose: () => void }): ReactNode {
  // The version that was seen: what somebody else changes meanwhile is not undone.
  const [seen] = useState(host);
  const [text, setText] = useState(() => ranges(seen.reserved_cores.map(({ core }) => core)));
  const [why, setWhy] = useState("");
  const edit = editOf(seen, text);
  const reason = edit.added.length > 0 ? why.trim() : null;
  const order = useMutation({
    mutationFn: (cores: readonly number[]) => setReservedCores(seen, cores, reason),
    onSuccess: onClose,
  });
  const idle = whyIdle(edit, why);
  /** One request sets all of them, where a command adds or takes away. */
  const whole = edit.cores ? { curl: curls.setReservedCores(seen.host_id, seen.version, edit.cores, reason) } : {};
  return (
    <Confirm
      open
      title={`Reserved cores of ${host.host_id}`}
      action="Reserve exactly these"
      busy={order.isPending}
      reason={idle}
      onConfirm={() => edit.cores && order.mutate(edit.cores)}
      onClose={onClose}
    >
      <p>
        No NF starts on or moves to a reserved core. One that stands there stays until a plan moves it. Plans that would
        put an NF there cannot be applied until the core is given back.
      </p>
      <Field
        label="Cores"
        value={text}
        onChange={setText}
        error={edit.error ?? undefined}
        hint={edit.left.length > 0 ? `left for NFs: ${ranges(edit.left)}` : "numbers and ranges: 3,5-7; empty: none"}
      />
      {edit.added.length > 0 && (
        <Field label="Why" value={why} onChange={setWhy} hint="shown with the host and recorded in the audit log" />
      )}
      {idle === null && edit.added.length > 0 && (
        <CopyButton text={cli.reserveCores(host.host_id, ranges(edit.added), why.trim())} {...whole} />
      )}
      {idle === null && edit.removed.length > 0 && (
        <CopyButton
          text={cli.unreserveCores(host.host_id, ranges(edit.removed))}
          {...(edit.added.length === 0 ? whole : {})}
        />
      )}
      {order.error && <ProblemNote problem={asProblem(order.error)} />}
    </Confirm>
  );
}

function whyIdle(edit: CoreEdit, why: string): string | null {
  if (edit.error) return "Correct the list of cores first.";
  if (edit.added.length === 0 && edit.removed.length === 0) return "Nothing differs from what is reserved.";
  return edit.added.length > 0 && why.trim() === "" ? "Give a reason first." : null;
}
