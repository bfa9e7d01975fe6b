/** Takes a chain off its hosts after a question; the operation that does it is shown next. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { deleteChain } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { ChainView } from "@/api/types";
import { count, figure } from "@/lib/format";
import { useLiveList } from "@/live/store";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { partWords, wholeOf } from "./parts";

export function DeleteChain({ chain }: { chain: ChainView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  const blocked = useActReason("chains.write") ?? whyNot(chain);
  const removal = useMutation({
    mutationFn: () => deleteChain(chain.spec.name),
    onSuccess: (operation) => {
      setAsking(false);
      if (operation) void navigate({ to: "/operations/$operationId", params: { operationId: String(operation.id) } });
      else void navigate({ to: "/chains" });
    },
  });
  const { name } = chain.spec;
  const [, ...rest] = useLiveList((state) => wholeOf(chain, state.chains.values()));
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
        <p>{effect([chain, ...rest])} A deleted chain can be submitted again under the same name.</p>
        {removal.error && <ProblemNote problem={asProblem(removal.error)} />}
      </Confirm>
    </>
  );
}

function whyNot(chain: ChainView): string | null {
  const { part } = chain.spec;
  if (part && part.number > 1) return `It is ${partWords(part)}, and goes with it: delete ${part.of}.`;
  return chain.state === "removing" ? "It is being removed." : null;
}

/** `whole`: the chain, or all its parts. */
function effect([chain, ...rest]: readonly [ChainView, ...ChainView[]]): string {
  const placement = [chain, ...rest].flatMap((one) => one.placement);
  const n = placement.length;
  if (n === 0) return "It is not placed, so nothing stops.";
  const hosts = new Set(placement.map(({ seat }) => seat.host)).size;
  const lost = chain.sample ? ` ${figure(chain.sample.delivered_mpps)} Mpps of traffic stop.` : "";
  return `Stops ${count(n, "NF")} on ${count(hosts, "host")} and frees their slots.${lost}`;
}
