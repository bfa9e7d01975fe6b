/** Plans the move of a chain to a host that the operator names: the plan's page is the preview. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { ChainView, HostView } from "@/api/types";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type Choice, Picker } from "@/ui/select";

export function RelocateChain({ chain }: { chain: ChainView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [host, setHost] = useState<string | null>(null);
  const hosts = useLive((state) => state.hosts);
  const navigate = useNavigate();
  const { name, ingress } = chain.spec;
  const home = chain.placement[0]?.seat.host;
  const blocked = useActReason("plans.apply") ?? whyNot(chain, hosts.size);
  const ask = useMutation({
    mutationFn: (goal: string) => askForPlan({ kind: "relocate", chain: name, host: goal }, DEFAULT_SOLVING),
    onSuccess: ({ id }) => {
      setAsking(false);
      void navigate({ to: "/plans/$planId", params: { planId: String(id) } });
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)} reason={blocked} reasonSide="below-left">
        Move to host
      </Button>
      <Confirm
        open={asking}
        title={`Move ${name} to another host`}
        action="Plan the move"
        busy={ask.isPending}
        reason={host === null ? "Choose a host first." : null}
        onConfirm={() => host !== null && ask.mutate(host)}
        onClose={() => {
          ask.reset();
          setAsking(false);
        }}
      >
        <p>
          Nothing moves until you apply the plan. The chain stops on {home} once it runs on the other host.
          {ingress.host !== null &&
            ` Its ingress names ${ingress.host}; afterwards it names the new host, where its packets have to arrive.`}
        </p>
        <Picker
          label="Host"
          value={host}
          onChange={setHost}
          choices={choicesOf(hosts, home)}
          placeholder="choose a host"
        />
        {host !== null && <CopyButton text={cli.relocate(name, host)} curl={curls.relocate(name, host)} />}
        {ask.error && <ProblemNote problem={asProblem(ask.error)} />}
      </Confirm>
    </>
  );
}

function whyNot(chain: ChainView, hosts: number): string | null {
  if (chain.placement.length === 0) return "It is not placed: there is nothing to move.";
  if (chain.state !== "running") return `It is ${chain.state}: wait for the operation on it.`;
  return hosts < 2 ? "There is no other host in the fleet." : null;
}

/** All but its own; those that take nothing are shown with the reason. */
export function choicesOf(hosts: ReadonlyMap<string, HostView>, home: string | undefined): Choice[] {
  return [...hosts.values()]
    .filter(({ host_id: id }) => id !== home)
    .sort((one, other) => one.host_id.localeCompare(other.host_id))
    .map((host) => {
      const why = closedText(host);
      return { key: host.host_id, text: host.host_id, note: why ?? "", disabled: why !== null };
    });
}

function closedText({ status, cordon }: HostView): string | null {
  if (status !== "up") return status;
  return cordon ? `cordoned: ${cordon.reason}` : null;
}
