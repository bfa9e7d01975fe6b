/** Takes a chain off its hosts after a question; the operation that does it is shown next. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Checkbox } from "react-aria-components";
import { deleteChain } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { ChainView } from "@/api/types";
import { count, figure } from "@/lib/format";
import { useLiveList } from "@/live/store";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { lanesOf } from "./lanes";
import { partWords, wholeOf } from "./parts";

export function DeleteChain({ chain }: { chain: ChainView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [lanes, setLanes] = useState(false);
  const navigate = useNavigate();
  const blocked = useActReason("chains.write") ?? whyNot(chain);
  const { name } = chain.spec;
  const [, ...parts] = useLiveList((state) => wholeOf(chain, state.chains.values()));
  const further = useLiveList((state) => furtherLanes(chain, state.chains.values()));
  const along = lanes ? further : [];
  const removal = useMutation({
    mutationFn: () => deleteChain(name, along.length > 0),
    onSuccess: (operation) => {
      setAsking(false);
      if (operation) void navigate({ to: "/operations/$operationId", params: { operationId: String(operation.id) } });
      else void navigate({ to: "/chains" });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} reason={blocked}>
        Delete chain
      </Button>
      <Confirm
        open={asking}
        title={`Delete ${name}`}
        action={`Delete ${name}`}
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
        onClose={() => {
          removal.reset();
          setAsking(false);
        }}
      >
        <p>
          {effect([chain, ...parts, ...along], [chain, ...along])} A deleted chain can be submitted again under the same
          name.
        </p>
        {further.length > 0 && (
          <Checkbox className="check" isSelected={lanes} onChange={setLanes}>
            <span className="box" aria-hidden="true" />
            <span>
              With its {count(further.length, "further lane")}{" "}
              <span className="t3">which else go on carrying their part of the flows alone</span>
            </span>
          </Checkbox>
        )}
        {removal.error && <ProblemNote problem={asProblem(removal.error)} />}
      </Confirm>
    </>
  );
}

/** Of the first lane: all others. */
function furtherLanes(chain: ChainView, chains: Iterable<ChainView>): ChainView[] {
  const { lane } = chain.spec.traffic;
  if (lane?.of !== chain.spec.name) return [];
  return lanesOf(chains, lane.of).flatMap((row) => (row.lane.number > 1 ? [row.chain] : []));
}

function whyNot(chain: ChainView): string | null {
  const { part } = chain.spec;
  if (part && part.number > 1) return `It is ${partWords(part)}, and goes with it: delete ${part.of}.`;
  return chain.state === "removing" ? "It is being removed." : null;
}

/** The chain, with what goes along: its parts, and its further lanes. `carrying`: those whose traffic is counted. */
function effect(going: readonly ChainView[], carrying: readonly ChainView[]): string {
  const placement = going.flatMap((one) => one.placement);
  const n = placement.length;
  if (n === 0) return "It is not placed, so nothing stops.";
  const hosts = new Set(placement.map(({ seat }) => seat.host)).size;
  const rates = carrying.flatMap(({ sample }) => (sample ? [sample.delivered_mpps] : []));
  const lost = rates.length > 0 ? ` ${figure(rates.reduce((sum, rate) => sum + rate, 0))} Mpps of traffic stop.` : "";
  return `Stops ${count(n, "NF")} on ${count(hosts, "host")} and frees their slots.${lost}`;
}
