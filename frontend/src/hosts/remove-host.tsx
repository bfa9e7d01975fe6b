/** Forgets a host on which nothing runs, once its name was typed; while chains run there it says how to move them. */

import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { removeHost } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { ChainView, HostView } from "@/api/types";
import { count } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

export function RemoveHost({ host, chains }: { host: HostView; chains: readonly ChainView[] }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const reason = useActReason("hosts.enrol");
  const removal = useMutation({
    mutationFn: () => removeHost(host.host_id),
    onSuccess: () => void navigate({ to: "/" }),
  });
  const name = host.host_id;
  return (
    <>
      <Button look="danger" reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        open={asking}
        title={`Remove ${name} from the fleet`}
        action={`Remove ${name}`}
        busy={removal.isPending}
        reason={whyNot(chains, typed, name)}
        onConfirm={() => removal.mutate()}
        onClose={() => {
          removal.reset();
          setTyped("");
          setAsking(false);
        }}
      >
        {chains.length > 0 ? (
          <MoveFirst host={name} chains={chains} />
        ) : (
          <>
            <Lost host={host} />
            <Field label="Its name" value={typed} onChange={setTyped} hint={`type ${name} to remove it`} />
            <CopyButton text={cli.removeHost(name)} curl={curls.removeHost(name)} />
          </>
        )}
        {removal.error && <ProblemNote problem={asProblem(removal.error)} />}
      </Confirm>
    </>
  );
}

function whyNot(chains: readonly ChainView[], typed: string, name: string): string | null {
  if (chains.length > 0) return `${count(chains.length, "chain")} run here.`;
  return typed.trim() === name ? null : "Type its name first.";
}

function Lost({ host }: { host: HostView }): ReactNode {
  const labels = Object.entries(host.labels).map(([key, value]) => `${key} ${value}`);
  return (
    <>
      <p>
        <b className="strong">Lost:</b> its figures{labels.length > 0 && `, its labels (${labels.join(", ")})`}, its
        desired state (generation {host.desired_generation}) and the trust in its certificates.
      </p>
      <p>
        <b className="strong">Kept:</b> plans, operations and the audit log that name it, profiles and models of its
        host model, outcomes of its chains.
      </p>
      <p>
        {host.status === "up" ? "Its agent keeps running, but is refused. " : ""}Enrol it again to add it as a new,
        empty host.
      </p>
    </>
  );
}

/** More stand in the table of the page. */
const MOST = 6;

function MoveFirst({ host, chains }: { host: string; chains: readonly ChainView[] }): ReactNode {
  return (
    <>
      <p>
        {host} runs {count(chains.length, "chain")}:{" "}
        {chains.slice(0, MOST).map(({ spec }, index) => (
          <span key={spec.name}>
            {index > 0 && ", "}
            <Link to="/chains/$name" params={{ name: spec.name }}>
              {spec.name}
            </Link>
          </span>
        ))}
        {chains.length > MOST && ` and ${chains.length - MOST} more`}. A host is removed when nothing runs on it.
      </p>
      <p>
        Drain it under Maintenance to move its chains to other hosts. The plan names those that cannot move, and why.
      </p>
      <CopyButton text={cli.drain(host, "it leaves the fleet")} curl={curls.drain(host)} />
    </>
  );
}
