/** A host that runs a newer order than the console knows: the console's order gets a number above it. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { renumberHost } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { HostView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";

/** Nothing where the host is not ahead. */
export function Renumber({ host }: { host: HostView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const reason = useActReason("hosts.maintain");
  const order = useMutation({ mutationFn: () => renumberHost(host.host_id), onSuccess: () => setAsking(false) });
  const { desired_generation: desired, applied_generation: applied } = host;
  if (applied <= desired && !asking) return null;
  return (
    <>
      <Button reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Renumber
      </Button>
      <Confirm
        open={asking}
        title={`Renumber the order of ${host.host_id}`}
        action="Renumber"
        reason={order.isPending ? "The order is being sent." : null}
        onConfirm={() => order.mutate()}
        onClose={() => {
          order.reset();
          setAsking(false);
        }}
      >
        <p>
          The host runs generation {applied}, and this console knows of {desired} only, as after a backup was restored.
          Its agent refuses every order with a lower number. Renumbered, the next plan that is applied here replaces
          what runs on the host. Nothing is sent now.
        </p>
        <CopyButton text={cli.renumberHost(host.host_id)} curl={curls.renumberHost(host.host_id)} />
        {order.error && <ProblemNote problem={asProblem(order.error)} />}
      </Confirm>
    </>
  );
}
