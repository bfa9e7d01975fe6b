/** Puts a version of levels in use, or takes it out of use, after a question that says what changes. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { decideLevels } from "@/api/actions";
import { LEVELS } from "@/api/level-queries";
import { asProblem } from "@/api/problem";
import type { LevelsVersion } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";

export function DecideLevels({ version }: { version: LevelsVersion }): ReactNode {
  const [asking, setAsking] = useState(false);
  const blocked = useActReason("models.promote");
  const client = useQueryClient();
  const what = version.state === "promoted" ? "retire" : "promote";
  const order = useMutation({
    mutationFn: () => decideLevels(what, version.id),
    onSettled: () => void client.invalidateQueries({ queryKey: LEVELS }),
    onSuccess: () => setAsking(false),
  });
  const verb = what === "retire" ? "Retire" : "Promote";
  return (
    <>
      <Button small reason={(what === "promote" ? version.stale : null) ?? blocked} onClick={() => setAsking(true)}>
        {verb}
        <span className="hidden-text"> version {version.version} of the levels</span>
      </Button>
      <Confirm
        open={asking}
        title={`${verb} version ${version.version} of the levels of ${version.nf_type}`}
        action={verb}
        busy={order.isPending}
        onConfirm={() => order.mutate()}
        onClose={() => {
          order.reset();
          setAsking(false);
        }}
      >
        <p>
          {what === "promote"
            ? `Control laws go by it on hosts of the model ${version.host_model}; the version they go by now is retired.`
            : `No control law goes by it any more on hosts of the model ${version.host_model}; chains with this NF type are then left alone.`}
        </p>
        {what === "promote" && version.provenance === "simulated" && (
          <p>A simulated host measured it: it holds for simulated hosts of that model alone.</p>
        )}
        <CopyButton text={cli.decideLevels(what, version.id)} curl={curls.decideLevels(what, version.id)} />
        {order.error && <ProblemNote problem={asProblem(order.error)} />}
      </Confirm>
    </>
  );
}
