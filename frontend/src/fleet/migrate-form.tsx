/** Moves one NF to a core that the operator names: makes a plan, which is reviewed like any other. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { NfView } from "@/api/types";
import { cli } from "@/app/cli";
import { useActReason } from "@/app/permission";
import { DEFAULT_SOLVING } from "@/plans/solving";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Picker } from "@/ui/select";
import { migrationTargets } from "./migration-targets";
import type { HostModel } from "./model";

/** The button, and in its place the form once it was pressed. */
export function Migrate({ nf, model }: { nf: NfView; model: HostModel }): ReactNode {
  const [open, setOpen] = useState(false);
  const reason = useActReason();
  if (open) return <MigrateForm nf={nf} model={model} onClose={() => setOpen(false)} />;
  return (
    <Button small onClick={() => setOpen(true)} reason={reason} reasonSide="below-left">
      Migrate
    </Button>
  );
}

export function MigrateForm(props: { nf: NfView; model: HostModel; onClose: () => void }): ReactNode {
  const { nf, model, onClose } = props;
  const [core, setCore] = useState<string | null>(null);
  const navigate = useNavigate();
  const reason = useActReason();
  const migrate = useMutation({
    mutationFn: (target: number) =>
      askForPlan({ kind: "migrate", nf_id: nf.nf_id, host: nf.seat.host, core: target }, DEFAULT_SOLVING),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
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
        <Button small look="quiet" onClick={onClose}>
          Close
        </Button>
        {core !== null && <CopyButton text={cli.migrate(nf.nf_id, core)} />}
      </div>
      {migrate.error && <ProblemNote problem={asProblem(migrate.error)} onDismiss={() => migrate.reset()} />}
    </form>
  );
}
