/** Somebody works on an alert: it goes on firing, and is counted apart. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { acknowledgeAlert } from "@/api/alert-queries";
import { asProblem } from "@/api/problem";
import type { Alert } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

export function Acknowledge({ alert }: { alert: Alert }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [note, setNote] = useState("");
  const reason = useActReason("alerts.act");
  const order = useMutation({
    mutationFn: () => acknowledgeAlert(alert.id, note.trim()),
    onSuccess: () => setAsking(false),
  });
  if (alert.acknowledged) return null;
  return (
    <>
      <Button small reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Acknowledge<span className="hidden-text"> {alert.summary}</span>
      </Button>
      <Confirm
        open={asking}
        title="Acknowledge the alert"
        action="Acknowledge"
        busy={order.isPending}
        onConfirm={() => order.mutate()}
        onClose={() => {
          order.reset();
          setAsking(false);
        }}
      >
        <p>{alert.summary}. It goes on firing, and others see that you work on it.</p>
        <Field label="Note" value={note} onChange={setNote} hint="optional: what you are doing about it" />
        <CopyButton
          text={cli.acknowledgeAlert(alert.id, note.trim())}
          curl={curls.acknowledgeAlert(alert.id, note.trim())}
        />
        {order.error && <ProblemNote problem={asProblem(order.error)} />}
      </Confirm>
    </>
  );
}
