/** One switch for all control laws. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { automationQuery, switchAutomation } from "@/api/automation-queries";
import { asProblem } from "@/api/problem";
import type { Automation } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";

export function StopAll({ automation }: { automation: Automation }): ReactNode {
  const client = useQueryClient();
  const role = useActReason("automation.stop");
  const { stopped, version } = automation;
  const change = useMutation({
    mutationFn: () => switchAutomation(version, !stopped),
    onSuccess: (saved) => client.setQueryData(automationQuery.queryKey, saved),
    onSettled: () => void client.invalidateQueries({ queryKey: ["automation"] }),
  });
  return (
    <>
      <CopyButton text={cli.switchAutomation(!stopped)} curl={curls.switchAutomation(!stopped)} />
      <Button
        look={stopped ? "plain" : "danger"}
        reason={role ?? (change.isPending ? "The switch is being set." : null)}
        onClick={() => change.mutate()}
      >
        {stopped ? "Resume automation" : "Stop all automation"}
      </Button>
      {change.error && <ProblemNote problem={asProblem(change.error)} onDismiss={() => change.reset()} />}
    </>
  );
}
