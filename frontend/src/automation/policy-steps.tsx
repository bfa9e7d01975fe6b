/** How far the law may act, as a slider of five steps from manual to automatic: modes of the fleet and of one host. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { clearMode, hostModesQuery, setMode } from "@/api/automation-queries";
import { fleetPolicyQuery, setFleetPolicy } from "@/api/policy-query";
import { asProblem } from "@/api/problem";
import type { PolicyView } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type Changes, changesTo, type Modes, modesText, STEPS, stepOf } from "./steps";

/** The law as it is stored, and as the console calls it. */
export interface NamedLaw {
  readonly law: string;
  readonly title: string;
}

/** `host`: the one that is open; null: none. */
export function PolicySteps({ law, host }: { law: NamedLaw; host: string | null }): ReactNode {
  const fleet = useQuery(fleetPolicyQuery(law.law));
  const hosts = useQuery(hostModesQuery(law.law));
  const error = fleet.error ?? hosts.error;
  if (error) return <ProblemNote problem={asProblem(error)} />;
  if (!fleet.data || !hosts.data) return <p className="section-body t2 late">Loading the policy</p>;
  const own = hosts.data.items.find(({ name }) => name === host)?.mode ?? null;
  const others = hosts.data.items.filter(({ name }) => name !== host).length;
  const modes = { fleet: fleet.data.policy.mode, host: own };
  return (
    <Section
      title={`Policy of ${law.title}`}
      note={
        others > 0 ? `${others} other hosts have policies of their own, which stay` : "how far it may act by itself"
      }
      padded
    >
      <Slider key={`${host} ${modes.fleet} ${modes.host}`} law={law} host={host} modes={modes} view={fleet.data} />
    </Section>
  );
}

function Slider(props: { law: NamedLaw; host: string | null; modes: Modes; view: PolicyView }): ReactNode {
  const { law, host, modes, view } = props;
  const id = useId();
  const name = host ?? "one host";
  const present = stepOf(modes);
  const [step, setStep] = useState(present ?? 0);
  const chosen = STEPS[step];
  const changes = changesTo(step, modes);
  const client = useQueryClient();
  const role = useActReason("automation.policy");
  const save = useMutation({
    mutationFn: () => apply(law.law, changes, host, view),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["automation"] });
      void client.invalidateQueries({ queryKey: ["policy"] });
    },
  });
  const idle = changes.fleet === null && changes.host === null ? "It stands so already." : null;
  const missing = chosen?.ofHost && host === null ? "Choose a host in the list first." : null;
  return (
    <form
      className="policy-steps"
      aria-label={`Policy of ${law.title}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!(role ?? missing ?? idle)) save.mutate();
      }}
    >
      <label htmlFor={id}>
        {present === null ? `No step: ${modesText(modes, name)}` : `Now: ${STEPS[present]?.text(name)}`}
      </label>
      <input
        id={id}
        type="range"
        min={1}
        max={STEPS.length}
        step={1}
        value={step + 1}
        aria-valuetext={chosen?.text(name)}
        onChange={(event) => setStep(Number(event.target.value) - 1)}
      />
      <ol aria-hidden="true">
        {STEPS.map((one, at) => (
          <li key={one.text("")} className={at === step ? "strong" : "t2"}>
            {one.text(name)}
          </li>
        ))}
      </ol>
      <p className="t2" role="status">
        {chosen?.effect(name)}
      </p>
      <div className="row-actions">
        <Button type="submit" reason={role ?? missing ?? (save.isPending ? "It is being set." : null) ?? idle}>
          Set policy
        </Button>
        {!missing && !idle && (
          <CopyButton text={commands(law.law, changes, host)} curl={requests(law.law, changes, host, view)} />
        )}
      </div>
      {save.error && <ProblemNote problem={asProblem(save.error)} onDismiss={() => save.reset()} />}
    </form>
  );
}

async function apply(law: string, changes: Changes, host: string | null, view: PolicyView): Promise<void> {
  if (host !== null && changes.host === "clear") await clearMode(law, "host", host);
  else if (host !== null && changes.host !== null && changes.host !== "clear") {
    await setMode(law, "host", host, changes.host);
  }
  if (changes.fleet !== null) await setFleetPolicy(law, view.version, { ...view.policy, mode: changes.fleet });
}

/** One line for each, in the order in which they are set. */
export function commands(law: string, changes: Changes, host: string | null): string {
  const lines: string[] = [];
  if (host !== null && changes.host === "clear") lines.push(cli.clearScopedPolicy(law, "host", host));
  else if (host !== null && changes.host !== null) {
    lines.push(cli.setScopedPolicy(law, "host", host, changes.host));
  }
  if (changes.fleet !== null) lines.push(cli.setLawMode(law, changes.fleet));
  return lines.join("\n");
}

/** The same as requests; the fleet's policy is one, of which its mode is a part. */
export function requests(law: string, changes: Changes, host: string | null, view: PolicyView): string {
  const lines: string[] = [];
  if (host !== null && changes.host === "clear") lines.push(curls.clearScopedPolicy(law, "host", host));
  else if (host !== null && changes.host !== null) {
    lines.push(curls.setScopedPolicy(law, "host", host, changes.host));
  }
  if (changes.fleet !== null) {
    lines.push(curls.setFleetPolicy(law, view.version, { ...view.policy, mode: changes.fleet }));
  }
  return lines.join(" &&\n");
}
