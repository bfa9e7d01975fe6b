/** Takes a registered NF type out of the catalogue after a question; what stands in its way is said there. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { removeNfType } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { NF_TYPES } from "@/api/queries";
import type { NfType } from "@/api/types";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";

export function RemoveType({ type, tag }: { type: NfType; tag: string }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const reason = useActReason("nf-types.write");
  const users = useUsers(type.name);
  const removal = useMutation({
    mutationFn: () => removeNfType(type.name, tag),
    onSuccess: () => {
      void navigate({ to: "/nf-types" });
      void client.invalidateQueries({ queryKey: NF_TYPES, exact: true });
    },
  });
  return (
    <>
      <Button look="danger" reason={reason ?? users} onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        open={asking}
        title={`Remove ${type.name}`}
        action={`Remove ${type.name}`}
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
        onClose={() => {
          removal.reset();
          setAsking(false);
        }}
      >
        <p>
          No chain uses it. Its measurements are kept; if it is registered again under this name, it continues with the
          next version.
        </p>
        <CopyButton text={cli.removeNfType(type.name)} curl={curls.removeNfType(type.name)} />
        {removal.error && <ProblemNote problem={asProblem(removal.error)} />}
      </Confirm>
    </>
  );
}

/** Why it cannot be removed: chains that name it. The console has the last word, which the question shows. */
function useUsers(nfType: string): string | null {
  const chains = useLive((state) => state.chains);
  const names = [...chains.values()]
    .filter(({ spec }) => spec.nfs.some(({ type }) => type === nfType))
    .map(({ spec }) => spec.name)
    .sort();
  if (names.length === 0) return null;
  const more = names.length > 4 ? ` and ${names.length - 4} more` : "";
  return `Used by ${names.slice(0, 4).join(", ")}${more}. Delete these chains first.`;
}
