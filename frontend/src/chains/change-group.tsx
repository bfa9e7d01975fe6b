/** Gives a chain another anti-affinity group, or none. Nothing moves: what its place breaks is refused. */

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { setAntiAffinity } from "@/api/actions";
import { asProblem, fieldMessages } from "@/api/problem";
import type { AntiAffinity, ChainView } from "@/api/types";
import type { Scope } from "@/fleet/anti-affinity";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { checkGroup } from "./draft";
import { GroupFields } from "./group-fields";

export function ChangeGroup({ chain }: { chain: ChainView }): ReactNode {
  const { name, anti_affinity: present } = chain.spec;
  const [edited, setEdited] = useState<{ group: string; scope: Scope } | null>(null);
  const blocked = useActReason("chains.write") ?? whyBusy(chain);
  const shown = edited ?? { group: present?.group ?? "", scope: present?.scope ?? "host" };
  const { wanted, error } = checkGroup(shown.group, shown.scope);
  const send = useMutation({
    mutationFn: (group: AntiAffinity | null) => setAntiAffinity(name, chain.version, group),
    onSuccess: () => setEdited(null),
  });
  const refused = send.error ? asProblem(send.error) : null;
  const message = fieldMessages(refused?.errors ?? []);
  return (
    <>
      <Button small onClick={() => setEdited(shown)} reason={blocked} reasonSide="below-left">
        {present ? "Change group" : "Keep apart"}
      </Button>
      <Confirm
        open={edited !== null}
        title={`Chains that ${name} must not stand with`}
        action={wanted === null ? "Take it out of every group" : "Set the group"}
        busy={send.isPending}
        reason={error ?? (isSame(wanted, present ?? null) ? "Nothing has been changed." : null)}
        onConfirm={() => send.mutate(wanted)}
        onClose={() => {
          send.reset();
          setEdited(null);
        }}
      >
        <p>
          {chain.placement.length === 0
            ? "It runs nowhere: it is planned anew with the group."
            : "Nothing moves. Where it runs with a chain of the group, this is refused: move one of them first."}
        </p>
        <GroupFields
          {...shown}
          onChange={(part) => {
            send.reset();
            setEdited({ ...shown, ...part });
          }}
          error={error ?? message("anti_affinity.group")}
          autoFocus
        />
        {error === undefined && (
          <CopyButton text={cli.setAntiAffinity(name, wanted)} curl={curls.setAntiAffinity(name, wanted)} />
        )}
        {refused && <ProblemNote problem={refused} />}
      </Confirm>
    </>
  );
}

function isSame(one: AntiAffinity | null, other: AntiAffinity | null): boolean {
  return one?.group === other?.group && one?.scope === other?.scope;
}

function whyBusy(chain: ChainView): string | null {
  if (chain.state === "applying") return "An operation is running on this chain.";
  return chain.state === "removing" ? "It is being removed." : null;
}
