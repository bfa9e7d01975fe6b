/** Refuses a host's certificates after a question for the reason; on a revoked host the button says that it is one. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { revokeHost } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { HostView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

export function RevokeHost({ host }: { host: HostView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [why, setWhy] = useState("");
  const reason = useActReason("authority.manage") ?? (host.revoked_at ? "Its certificates are revoked already." : null);
  const revocation = useMutation({
    mutationFn: () => revokeHost(host.host_id, why.trim()),
    onSuccess: () => setAsking(false),
  });
  const ready = why.trim() !== "" && !revocation.isPending;
  return (
    <>
      <Button look="danger" reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Revoke
      </Button>
      <Confirm
        open={asking}
        title={`Revoke the certificates of ${host.host_id}`}
        action="Revoke"
        reason={ready ? null : revocation.isPending ? "The order is being sent." : "Give a reason first."}
        onConfirm={() => revocation.mutate()}
        onClose={() => {
          revocation.reset();
          setAsking(false);
        }}
      >
        <p>
          From its next request on, the host is refused and gets no orders. Its NFs keep running, but it no longer
          reports. To add it again, enrol it again.
        </p>
        <Field label="Why" value={why} onChange={setWhy} hint="recorded in the audit log" />
        {why.trim() !== "" && (
          <CopyButton
            text={cli.revokeHost(host.host_id, why.trim())}
            curl={curls.revokeHost(host.host_id, why.trim())}
          />
        )}
        {revocation.error && <ProblemNote problem={asProblem(revocation.error)} />}
      </Confirm>
    </>
  );
}
