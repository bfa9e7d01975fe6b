/** Moves one NF to a core that the operator names: makes a plan, which is reviewed like any other. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { NfView } from "@/api/types";
import { cli } from "@/app/cli";
import { useActReason } from "@/app/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { type Choice, Picker } from "@/ui/select";
import type { HostModel } from "./model";

export function MigrateForm({ nf, model }: { nf: NfView; model: HostModel }): ReactNode {
  const [open, setOpen] = useState(false);
  const [core, setCore] = useState<string | null>(null);
  const navigate = useNavigate();
  const reason = useActReason();
  const migrate = useMutation({
    mutationFn: (target: number) => askForPlan({ kind: "migrate", nf_id: nf.nf_id, host: nf.seat.host, core: target }),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  if (!open) {
    return (
      <Button small onClick={() => setOpen(true)} reason={reason} reasonSide="below-left">
        Migrate
      </Button>
    );
  }
  const blocked =
    reason ?? (core === null ? "Choose a core first." : migrate.isPending ? "A plan is being made." : null);
  return (
    <form
      className="migrate"
      aria-label={`Migrate ${nf.nf_id}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!blocked && core !== null) migrate.mutate(Number(core));
      }}
    >
      <Picker label="To core" value={core} choices={migrationTargets(nf, model)} onChange={setCore} />
      <div className="row-actions">
        <Button small type="submit" reason={blocked} reasonSide="below-left">
          Plan the move
        </Button>
        <Button small look="quiet" onClick={() => setOpen(false)}>
          Close
        </Button>
        {core !== null && <CopyButton text={cli.migrate(nf.nf_id, core)} />}
      </div>
      {migrate.error && <ProblemNote problem={asProblem(migrate.error)} onDismiss={() => migrate.reset()} />}
    </form>
  );
}

/** Every core of the host; those that cannot be chosen say why. */
export function migrationTargets(nf: NfView, model: HostModel): Choice[] {
  return model.cores.flat().map(({ core, used, busy }) => {
    const slots = core.slots ?? 1;
    const why = whyNot(nf, core.id, core.reserved_for ?? null, used, slots);
    const load = busy === null ? "" : `, ${busy.toFixed(0)} % busy`;
    const room = slots > 1 ? `${slots - used} of ${slots} slots free` : "free";
    const last = core.last_choice ? ", last choice" : "";
    return {
      key: String(core.id),
      text: `core ${core.id}, node ${core.node}`,
      note: why ?? `${room}${last}${load}`,
      disabled: why !== null,
    };
  });
}

function whyNot(nf: NfView, core: number, reservedFor: string | null, used: number, slots: number): string | null {
  if (core === nf.seat.core) return "it stands here";
  if (reservedFor) return `reserved for ${reservedFor}`;
  if (slots === 0) return "offered to no NF";
  if (used >= slots) return slots === 1 ? "taken" : `all ${slots} slots taken`;
  return null;
}
