/** Adds a host: a token that is good once, the command to run there, and the tokens that nobody has used yet. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { makeEnrolment } from "@/api/actions";
import { asProblem, fieldMessages } from "@/api/problem";
import { ENROLMENTS } from "@/api/queries";
import type { EnrolmentMade } from "@/api/types";
import { timeLeft } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { PendingHosts } from "./pending-hosts";

export function AddHost(): ReactNode {
  const [open, setOpen] = useState(false);
  const reason = useActReason("hosts.enrol");
  return (
    <>
      <Button reason={reason} onClick={() => setOpen(true)}>
        Add host
      </Button>
      <Window open={open} title="Add a host" onClose={() => setOpen(false)}>
        <AddHostForm reason={reason} />
        <PendingHosts reason={reason} />
      </Window>
    </>
  );
}

export function AddHostForm({ reason }: { reason: string | null }): ReactNode {
  const form = useId();
  const [host, setHost] = useState("");
  const client = useQueryClient();
  const making = useMutation({
    mutationFn: makeEnrolment,
    onSuccess: () => void client.invalidateQueries({ queryKey: ENROLMENTS }),
  });
  const problem = making.error ? asProblem(making.error) : null;
  const message = fieldMessages(problem?.errors ?? [])("host");
  const empty = host === "" ? "Name the host first." : null;
  return (
    <form
      id={form}
      aria-label="Add a host"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason && !empty && !making.isPending) making.mutate(host);
      }}
    >
      <p className="t2">
        You get one command, <code>sextant-agent enrol --console … --token-file -</code>, with its token: it works once,
        within 10 minutes. Run it on the host as the user of its agent. Sextant's agent must be installed there and must
        be able to reach this console.
      </p>
      <Field
        label="Name of the host"
        value={host}
        onChange={setHost}
        error={message}
        hint="lower-case letters, digits and hyphens; its certificate carries this name"
        autoFocus
      />
      {problem && !message && <ProblemNote problem={problem} onDismiss={() => making.reset()} />}
      <WindowActions>
        {host !== "" && <CopyButton text={cli.enrolHost(host)} curl={curls.enrolHost(host)} />}
        <Button
          look="primary"
          type="submit"
          form={form}
          reasonSide="above"
          reason={reason ?? empty ?? (making.isPending ? "It is being created." : null)}
        >
          Create a token
        </Button>
      </WindowActions>
      {making.data && <Made made={making.data} />}
    </form>
  );
}

/** Of an installation that was started without an address for its hosts. */
function isLoopback(url: string): boolean {
  return /^https:\/\/(127\.|localhost\b|\[::1\])/.test(url);
}

function Made({ made }: { made: EnrolmentMade }): ReactNode {
  const left = timeLeft(made.enrolment.expires_at, useNow());
  const command = made.command ?? made.token;
  if (left === null) {
    return (
      <p className="warn" role="status">
        The token for {made.enrolment.host} has expired. Create another one.
      </p>
    );
  }
  return (
    <div role="status">
      <p className="t2">
        Run this on <b className="strong">{made.enrolment.host}</b> within {left}. It works once and is not shown again.
      </p>
      <p>
        <code className="command enrol-command">{command}</code> <CopyButton text={command} label="Copy" />
      </p>
      {isLoopback(made.fleet_url) && (
        <p className="warn">
          <Shape name="warn" />
          Only this machine can reach {made.fleet_url}. For other hosts, start the console with an address they can
          reach: <code className="command">make up SEXTANT_FLEET_ADDRESS=192.0.2.1</code>
        </p>
      )}
    </div>
  );
}
