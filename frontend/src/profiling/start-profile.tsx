/** Starts a profiling job: a button, and the window with what is asked and what that would measure. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useId, useState } from "react";
import { startProfiling } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { profilingDesignQuery } from "@/api/profiling-queries";
import type { ProfilingAsk } from "@/api/types";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button, type ButtonProps } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type AskDraft, emptyAsk, messageOf, readAsk } from "./ask-draft";
import { AskFields } from "./ask-fields";
import { DesignView } from "./design-view";
import { pointsText } from "./setting";

export function StartProfile(props: {
  /** What is filled in; both can be changed in the window. */
  nfType?: string | undefined;
  host?: string | undefined;
  label?: string;
  /** Why it makes no sense here: the host cannot profile. */
  reason?: string | null;
  look?: ButtonProps["look"];
  small?: boolean;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const blocked = useActReason("profiling.run");
  const { nfType = "", host = "", label = "Profile", reason = null } = props;
  return (
    <>
      <Button look={props.look} small={props.small ?? false} reason={blocked ?? reason} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Window open={open} title={nfType ? `Profile ${nfType}` : "Profile an NF type"} onClose={() => setOpen(false)}>
        <StartProfileForm first={emptyAsk(nfType, host)} />
      </Window>
    </>
  );
}

export function StartProfileForm({ first }: { first: AskDraft }): ReactNode {
  const form = useId();
  const [draft, setDraft] = useState(first);
  const navigate = useNavigate();
  const blocked = useActReason("profiling.run");
  const mostFlows = useLive((state) => state.hosts.get(draft.host)?.inventory?.most_flows ?? null);
  const { ask, errors: own } = readAsk(draft, mostFlows);
  const settled = useSettled(ask);
  const design = useQuery({ ...profilingDesignQuery(settled ?? NOTHING), enabled: settled !== null });
  const start = useMutation({
    mutationFn: startProfiling,
    onSuccess: ({ id }) => void navigate({ to: "/profiling/$id", params: { id: String(id) } }),
  });
  const refused = start.error ?? (settled ? design.error : null);
  const problem = refused ? asProblem(refused) : null;
  const chosen = draft.nfType !== "" && draft.host !== "";
  // Before both are chosen there is nothing to be right or wrong.
  const errors = [...(chosen ? own : []), ...(problem?.errors ?? [])];
  const current = ask !== null && same(ask, settled) && !design.isFetching ? (design.data ?? null) : null;
  const why =
    blocked ??
    (start.isPending ? "It is being started." : null) ??
    (ask ? null : chosen ? "A field above is not valid." : "Choose an NF type and a host first.") ??
    (design.error ? "The console refused it, see above." : null) ??
    (current ? null : "The design is being computed.");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ask && !why) start.mutate(ask);
  };
  return (
    <form id={form} aria-label="Profile an NF type" onSubmit={submit} noValidate>
      <AskFields
        draft={draft}
        set={(part) => {
          setDraft({ ...draft, ...part });
          start.reset();
        }}
        message={(field) => messageOf(errors, field)}
        mostFlows={mostFlows}
      />
      {problem && <ProblemNote problem={problem} {...(start.error ? { onDismiss: () => start.reset() } : {})} />}
      {!problem && settled && design.data && <DesignView design={design.data} waiting={current === null} />}
      {!problem && settled && !design.data && <p className="t2 late">Designing the points</p>}
      <WindowActions>
        {ask && <CopyButton text={cli.startProfile(ask)} curl={curls.startProfile(ask)} />}
        <Button look="primary" type="submit" form={form} reason={why} reasonSide="above">
          {current === null
            ? "Start"
            : current.points.length > 0
              ? `Measure ${pointsText(current.points.length)}`
              : "Fit a model"}
        </Button>
      </WindowActions>
    </form>
  );
}

/** Asked only while it is not enabled. */
const NOTHING = { nf_type: "", host: "" } as ProfilingAsk;
const SETTLE_MS = 300;

/** The ask once nothing has been typed for a moment. */
function useSettled(ask: ProfilingAsk | null): ProfilingAsk | null {
  const [settled, setSettled] = useState<ProfilingAsk | null>(null);
  const text = JSON.stringify(ask);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as ProfilingAsk | null), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return ask === null ? null : settled;
}

function same(a: ProfilingAsk, b: ProfilingAsk | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
