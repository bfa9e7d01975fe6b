/** Plans to carry a chain in more or fewer lanes of equal weight: the plan's page is the preview. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { ChainView } from "@/api/types";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type Choice, Picker } from "@/ui/select";
import { partWords } from "./parts";
import { choicesOf, NO_HOSTS } from "./relocate-chain";

const MOST = 8;
/** No host has this name. */
const ANYWHERE = "-";

export function ScaleChain({ chain }: { chain: ChainView }): ReactNode {
  const [asking, setAsking] = useState(false);
  const [lanes, setLanes] = useState<string | null>(null);
  const [host, setHost] = useState(ANYWHERE);
  const places = useLive((state) => (asking ? state.hosts : NO_HOSTS));
  const navigate = useNavigate();
  const name = chain.spec.traffic.lane?.of ?? chain.spec.name;
  const blocked = useActReason("plans.apply") ?? whyNot(chain);
  const weights = Array.from({ length: Number(lanes ?? 0) }, () => 1);
  const added = newLanes(chain, weights.length);
  const hosts = host === ANYWHERE ? {} : Object.fromEntries(added.map((lane) => [lane, host]));
  const ask = useMutation({
    mutationFn: () =>
      askForPlan({ kind: "lanes", chain: name, weights, ...(host !== ANYWHERE && { hosts }) }, DEFAULT_SOLVING),
    onSuccess: ({ id }) => {
      setAsking(false);
      void navigate({ to: "/plans/$planId", params: { planId: String(id) } });
    },
  });
  return (
    <>
      <Button onClick={() => setAsking(true)} reason={blocked} reasonSide="below-left">
        Change lanes
      </Button>
      <Confirm
        open={asking}
        title={`Carry ${name} in lanes`}
        action="Plan the lanes"
        busy={ask.isPending}
        reason={lanes === null ? "Choose a number first." : null}
        onConfirm={() => ask.mutate()}
        onClose={() => {
          ask.reset();
          setAsking(false);
        }}
      >
        <p>
          Nothing changes until you apply the plan. New lanes start first, then every lane gets an even part of the
          flows; lanes that are too many leave last. A flow that changes its lane is a new flow there.
          {chain.spec.part && " The first lane stays on its path; each new one has all NFs on one host."}
        </p>
        <Picker
          label="Lanes"
          value={lanes}
          onChange={(count) => {
            setLanes(count);
            setHost(ANYWHERE);
          }}
          choices={laneChoices(chain)}
          placeholder="choose how many"
        />
        {added.length > 0 && (
          <Picker
            label="New lanes"
            value={host}
            onChange={setHost}
            choices={[{ key: ANYWHERE, text: "where there is room" }, ...choicesOf(places, undefined)]}
          />
        )}
        {lanes !== null && (
          <CopyButton text={cli.scale(name, weights, hosts)} curl={curls.scale(name, weights, hosts)} />
        )}
        {ask.error && <ProblemNote problem={asProblem(ask.error)} />}
      </Confirm>
    </>
  );
}

function whyNot(chain: ChainView): string | null {
  const { part } = chain.spec;
  if (part && part.number > 1) return `It is ${partWords(part)}: change lanes there.`;
  if (chain.placement.length === 0) return "It is not placed: submit it in lanes instead.";
  return chain.state === "running" ? null : `It is ${chain.state}: wait for the operation on it.`;
}

/** Names of the lanes that start where a chain is carried in so many. */
export function newLanes({ spec }: ChainView, count: number): string[] {
  const { lane } = spec.traffic;
  const now = lane?.weights.length ?? 1;
  const numbers = Array.from({ length: Math.max(0, count - now) }, (_, at) => now + at + 1);
  return numbers.map((number) => `${lane?.of ?? spec.name}-lane-${number}`);
}

/** 1 to 8; what it has now says so. */
export function laneChoices(chain: ChainView): Choice[] {
  const now = chain.spec.traffic.lane?.weights.length ?? 1;
  return Array.from({ length: MOST }, (_, at) => ({
    key: String(at + 1),
    text: at === 0 ? "in no lanes" : `${at + 1} lanes`,
    note: at + 1 === now ? "as it is now" : "",
    disabled: false,
  }));
}
