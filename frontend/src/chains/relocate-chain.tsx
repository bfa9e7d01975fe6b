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
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type Choice, Picker } from "@/ui/select";

/** No chain has this name. */
const NONE = "-";
/** Until the dialog is open: the fleet changes many times a second. */
export const NO_HOSTS: ReadonlyMap<string, HostView> = new Map();
const NO_CHAINS: ReadonlyMap<string, ChainView> = new Map();

export function RelocateChain({ chain }: { chain: ChainView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [host, setHost] = useState<string | null>(null);
  const [back, setBack] = useState(NONE);
  const count = useLive((state) => state.hosts.size);
  const hosts = useLive((state) => (asking ? state.hosts : NO_HOSTS));
  const chains = useLive((state) => (asking ? state.chains : NO_CHAINS));
  const navigate = useNavigate();
  const { name, ingress } = chain.spec;
  const home = chain.placement[0]?.seat.host;
  const exchange = back === NONE ? [] : [back];
  const blocked = useActReason("plans.apply") ?? whyNot(chain, count);
  const ask = useMutation({
    mutationFn: (goal: string) =>
      askForPlan(
        { kind: "relocate", chain: name, host: goal, ...(exchange.length > 0 && { exchange }) },
        DEFAULT_SOLVING,
      ),
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
          onChange={(goal) => {
            setHost(goal);
            setBack(NONE);
          }}
          choices={choicesOf(hosts, home)}
          placeholder="choose a host"
        />
        {host !== null && (
          <>
            <Choose label="In exchange for" value={back} onChange={setBack} choices={exchangeable(chains, host)} />
            {back !== NONE && (
              <p>
                {back} goes to {home}. One of the two hosts runs both meanwhile, where it has room for that; otherwise
                the plan says what it interrupts.
              </p>
            )}
            <CopyButton text={cli.relocate(name, host, exchange)} curl={curls.relocate(name, host, exchange)} />
          </>
        )}
        {ask.error && <ProblemNote problem={asProblem(ask.error)} />}
      </Confirm>
    </>
  );
}

function whyNot(chain: ChainView, hosts: number): string | null {
  if (chain.spec.part) return "Its path over several hosts is pinned: delete it and submit it with another path.";
  if (chain.placement.length === 0) return "It is not placed: there is nothing to move.";
  if (chain.state !== "running") return `It is ${chain.state}: wait for the operation on it.`;
  return hosts < 2 ? "There is no other host in the fleet." : null;
}

/** What runs on the host, and may come back in the chain's place. */
export function exchangeable(chains: ReadonlyMap<string, ChainView>, host: string): Choice[] {
  const there = [...chains.values()]
    .filter(({ placement, state }) => state === "running" && placement[0]?.seat.host === host)
    .map(({ spec }) => spec.name)
    .sort((one, other) => one.localeCompare(other));
  return [{ key: NONE, text: "no chain" }, ...there.map((name) => ({ key: name, text: name }))];
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
