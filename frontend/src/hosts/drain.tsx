/** Plans to move every chain off a host: the plan's page is the preview. A host in service is cordoned first. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan, cordonHost } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { HostView } from "@/api/types";
import { count } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

/** `chains`: how many stand there. */
export function Drain({ host, chains }: { host: HostView; chains: number }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [why, setWhy] = useState("");
  const navigate = useNavigate();
  const maintain = useActReason("hosts.maintain");
  const plan = useActReason("plans.apply");
  const reason = host.cordon ? plan : (maintain ?? plan);
  const ask = useMutation({
    mutationFn: async () => {
      if (!host.cordon) await cordonHost(host.host_id, why.trim());
      return askForPlan({ kind: "drain", host: host.host_id }, DEFAULT_SOLVING);
    },
    onSuccess: ({ id }) => {
      setAsking(false);
      void navigate({ to: "/plans/$planId", params: { planId: String(id) } });
    },
  });
  const planned = curls.drain(host.host_id);
  const given = Boolean(host.cordon) || why.trim() !== "";
  return (
    <>
      <Button reason={reason ?? whyNot(chains)} reasonSide="below-left" onClick={() => setAsking(true)}>
        Drain
      </Button>
      <Confirm
        open={asking}
        title={`Drain ${host.host_id}`}
        action="Plan the drain"
        busy={ask.isPending}
        reason={given ? null : "Give a reason first."}
        onConfirm={() => ask.mutate()}
        onClose={() => {
          ask.reset();
          setAsking(false);
        }}
      >
        <p>
          {!host.cordon && "Cordons the host now. "}
          Plans to move {count(chains, "chain")} to other hosts; nothing moves until you apply the plan. Each chain
          stops here once it runs there. What cannot move stays, and the plan says why.
        </p>
        {!host.cordon && (
          <Field label="Why" value={why} onChange={setWhy} hint="shown with the host and recorded in the audit log" />
        )}
        {given && (
          <CopyButton
            text={cli.drain(host.host_id, host.cordon ? undefined : why.trim())}
            curl={host.cordon ? planned : `${curls.cordonHost(host.host_id, why.trim())} &&\n${planned}`}
          />
        )}
        {ask.error && <ProblemNote problem={asProblem(ask.error)} />}
      </Confirm>
    </>
  );
}

function whyNot(chains: number): string | null {
  return chains === 0 ? "No chain runs here: the host is empty." : null;
}
