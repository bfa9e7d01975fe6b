/** Forgets a file after a question; while chains name it, the button says which. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { deleteArtefact } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { ARTEFACTS } from "@/api/queries";
import type { Artefact } from "@/api/types";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";

export function DeleteArtefact({ artefact }: { artefact: Artefact }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const reason = useActReason("artefacts.write") ?? inUse(artefact);
  const removal = useMutation({
    mutationFn: () => deleteArtefact(artefact.digest),
    onSuccess: () => {
      setAsking(false);
      void client.invalidateQueries({ queryKey: ARTEFACTS });
    },
  });
  const called = `${artefact.name} version ${artefact.version}`;
  return (
    <>
      <Button small look="danger" reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Delete<span className="hidden-text"> {called}</span>
      </Button>
      <Confirm
        open={asking}
        title={`Delete ${called}`}
        action="Delete"
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
        onClose={() => {
          removal.reset();
          setAsking(false);
        }}
      >
        <p>No chain uses it. The version number is not reused; the same file can be uploaded again.</p>
        {removal.error && <ProblemNote problem={asProblem(removal.error)} />}
      </Confirm>
    </>
  );
}

function inUse({ used_by, uses, nf_types }: Artefact): string | null {
  if (nf_types.length > 0) return `Used by NF type ${nf_types.join(", ")}. Change or remove it first.`;
  if (uses === 0) return null;
  const more = uses > used_by.length ? ` and ${uses - used_by.length} more` : "";
  return `Used by ${used_by.join(", ")}${more}. Delete these chains first.`;
}
