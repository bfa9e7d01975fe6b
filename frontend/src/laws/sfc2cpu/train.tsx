/** Asks for a training: a study, whose curve is drawn below while it runs. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { startStudy } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { sharedCoresQuery } from "@/api/sfc2cpu-queries";
import { STUDIES } from "@/api/study-queries";
import { cli } from "@/session/cli";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { GamesBy, lackingCosts } from "./games-by";
import { type Length, readTraining, type Training } from "./school-words";

const LENGTHS = [
  { key: "short", text: "Short" },
  { key: "long", text: "Long" },
  { key: "steps", text: "Steps" },
] as const;

const LASTS: Readonly<Record<Length, string>> = {
  short: "60,000 choices of cores, some minutes: it shows that all of it works, and trains little.",
  long: "500,000 choices, as the paper: most of an hour.",
  steps: "",
};

export function Train(props: {
  /** That NFs of the open host may share. */
  cores: number | undefined;
  /** The host that is open. */
  host: string | undefined;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const blocked = useActReason("studies.run");
  return (
    <>
      <Button reason={blocked} onClick={() => setOpen(true)}>
        Train
      </Button>
      <Window open={open} title="Train a network" onClose={() => setOpen(false)}>
        <TrainForm {...props} onDone={() => setOpen(false)} />
      </Window>
    </>
  );
}

function TrainForm({
  cores,
  host,
  onDone,
}: {
  cores: number | undefined;
  host: string | undefined;
  onDone: () => void;
}): ReactNode {
  // The open host's cores may be known only after the form is open: until some are typed they are its own.
  const [typed, setTyped] = useState<string | null>(null);
  const [rest, setRest] = useState<Omit<Training, "cores">>({
    seed: "0",
    length: "short",
    steps: "9000",
    costOf: null,
  });
  const client = useQueryClient();
  const form = useId();
  const start = useMutation({
    mutationFn: startStudy,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: STUDIES });
      onDone();
    },
  });
  const draft: Training = { ...rest, cores: typed ?? String(cores ?? 4) };
  const read = readTraining(draft);
  const { data: costs } = useQuery({ ...sharedCoresQuery(draft.costOf ?? ""), enabled: !!draft.costOf });
  const lacking = costs ? lackingCosts(costs) : null;
  const invalid = read.toml === null ? (read.errors.costOf ?? "A field is not valid.") : lacking;
  const change = (changed: Partial<typeof rest>) => setRest((old) => ({ ...old, ...changed }));
  const length = draft.length === "long" ? "long" : "short";
  return (
    <form
      id={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (read.toml !== null && !start.isPending) start.mutate(read.toml);
      }}
    >
      <p className="t2">
        It plays games of assigning small NFs to cores, and is examined on instances that it never saw. It assigns
        nothing before it is promoted.
      </p>
      <GamesBy host={draft.costOf} open={host} onChange={(costOf) => change({ costOf })} />
      <Field
        label="Cores"
        value={draft.cores}
        onChange={setTyped}
        error={read.errors.cores}
        hint="As many as NFs of a host may share; it knows no other number."
        inputMode="numeric"
      />
      <Field
        label="Seed"
        hint="Repeated with the same seed, a training gives the same network."
        value={draft.seed}
        onChange={(text) => change({ seed: text })}
        error={read.errors.seed}
        inputMode="numeric"
      />
      <div className="field">
        <span className="t2">Length</span>
        <Segmented label="Length" value={draft.length} options={LENGTHS} onChange={(key) => change({ length: key })} />
        {LASTS[draft.length] && <span className="message t3">{LASTS[draft.length]}</span>}
      </div>
      {draft.length === "steps" && (
        <Field
          label="Steps"
          value={draft.steps}
          onChange={(text) => change({ steps: text })}
          error={read.errors.steps}
          unit="choices"
          inputMode="numeric"
        />
      )}
      {start.error && <ProblemNote problem={asProblem(start.error)} onDismiss={() => start.reset()} />}
      <WindowActions>
        <CopyButton text={cli.trainNetwork(read.cores, read.seed, length, read.steps, draft.costOf)} />{" "}
        <Button
          look="primary"
          type="submit"
          form={form}
          reason={start.isPending ? "The training is being sent." : invalid}
        >
          Train
        </Button>
      </WindowActions>
    </form>
  );
}
