/** Holds back alerts of one rule about one object for some hours: they are shown, and sent nowhere. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { silenceAlert } from "@/api/alert-queries";
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
import { Segmented } from "@/ui/segmented";

const HOURS = { "1": 1, "2": 2, "8": 8, "24": 24 } as const;
type Hours = keyof typeof HOURS;

export function SilenceAlert({ alert }: { alert: Alert }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [why, setWhy] = useState("");
  const [hours, setHours] = useState<Hours>("2");
  const reason = useActReason("alerts.act");
  const order = useMutation({
    mutationFn: () => silenceAlert(alert, HOURS[hours], why.trim()),
    onSuccess: () => setAsking(false),
  });
  if (alert.silence_id !== null) return null;
  const missing = why.trim() === "" ? "Give a reason first." : null;
  return (
    <>
      <Button small reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Silence<span className="hidden-text"> {alert.summary}</span>
      </Button>
      <Confirm
        open={asking}
        title={`Silence ${alert.object_name}`}
        action="Silence"
        reason={missing}
        busy={order.isPending}
        onConfirm={() => order.mutate()}
        onClose={() => {
          order.reset();
          setAsking(false);
        }}
      >
        <p>
          Alerts of this rule about {alert.object_kind} {alert.object_name} are shown here, and sent nowhere, until the
          silence ends.
        </p>
        <Segmented<Hours>
          label="For how long"
          value={hours}
          options={[
            { key: "1", text: "1 hour" },
            { key: "2", text: "2 hours" },
            { key: "8", text: "8 hours" },
            { key: "24", text: "1 day" },
          ]}
          onChange={setHours}
        />
        <Field label="Why" value={why} onChange={setWhy} hint="shown with the silence and recorded in the audit log" />
        {why.trim() !== "" && (
          <CopyButton
            text={cli.silenceAlert(alert.kind, alert.object_kind, alert.object_name, HOURS[hours], why.trim())}
            curl={curls.silenceAlert(alert.kind, alert.object_kind, alert.object_name, HOURS[hours], why.trim())}
          />
        )}
        {order.error && <ProblemNote problem={asProblem(order.error)} />}
      </Confirm>
    </>
  );
}
