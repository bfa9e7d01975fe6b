/** Whether plans may put NFs on the host: in service or cordoned, by whom, since when and why, and the way to change it. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { cordonHost, uncordonHost } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { HostView } from "@/api/types";
import { count, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Drain } from "./drain";
import { Renumber } from "./renumber";

/** `chains`: how many stand there. */
export function Maintenance({ host, chains }: { host: HostView; chains: number }): ReactNode {
  const now = useNow();
  const { cordon } = host;
  return (
    <Section
      title="Maintenance"
      end={
        <>
          <Renumber host={host} />
          <Drain host={host} chains={chains} />
          {cordon ? <Uncordon host={host} /> : <Cordon host={host} />}
        </>
      }
      padded
    >
      {cordon ? (
        <dl className="facts" data-testid="cordon">
          <dt>State</dt>
          <dd className="warn">
            <Shape name="warn" />
            cordoned
          </dd>
          <dt>Reason</dt>
          <dd>{cordon.reason}</dd>
          <dt>By</dt>
          <dd>
            {cordon.by}, {when(cordon.since, new Date(now))}
          </dd>
          <dt>Chains here</dt>
          <dd>
            {chains === 0
              ? "none: the host is empty"
              : `${chains}, ${chains === 1 ? "which goes" : "which go"} on running`}
          </dd>
        </dl>
      ) : (
        <p className="t2">
          In service{chains > 0 && `, ${count(chains, "chain")} here`}. Plans may put NFs on this host.
        </p>
      )}
    </Section>
  );
}

function Cordon({ host }: { host: HostView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [why, setWhy] = useState("");
  const reason = useActReason("hosts.maintain");
  const order = useMutation({
    mutationFn: () => cordonHost(host.host_id, why.trim()),
    onSuccess: () => setAsking(false),
  });
  const ready = why.trim() !== "" && !order.isPending;
  return (
    <>
      <Button reason={reason} reasonSide="below-left" onClick={() => setAsking(true)}>
        Cordon
      </Button>
      <Confirm
        open={asking}
        title={`Cordon ${host.host_id}`}
        action="Cordon"
        reason={ready ? null : order.isPending ? "The order is being sent." : "Give a reason first."}
        onConfirm={() => order.mutate()}
        onClose={() => {
          order.reset();
          setAsking(false);
        }}
      >
        <p>
          From now on no NF starts or moves on this host. What stands there goes on running. Plans that would put an NF
          there cannot be applied until it is uncordoned.
        </p>
        <Field label="Why" value={why} onChange={setWhy} hint="shown with the host and recorded in the audit log" />
        {why.trim() !== "" && (
          <CopyButton
            text={cli.cordonHost(host.host_id, why.trim())}
            curl={curls.cordonHost(host.host_id, why.trim())}
          />
        )}
        {order.error && <ProblemNote problem={asProblem(order.error)} />}
      </Confirm>
    </>
  );
}

function Uncordon({ host }: { host: HostView }): ReactNode {
  const denied = useActReason("hosts.maintain");
  const order = useMutation({ mutationFn: () => uncordonHost(host.host_id) });
  return (
    <>
      <CopyButton text={cli.uncordonHost(host.host_id)} curl={curls.uncordonHost(host.host_id)} />
      <Button
        reason={denied ?? (order.isPending ? "The order is being sent." : null)}
        reasonSide="below-left"
        onClick={() => order.mutate()}
      >
        Uncordon
      </Button>
      {order.error && <ProblemNote problem={asProblem(order.error)} />}
    </>
  );
}
