/** The steps of each host, live: done with its time, running with its words, failed with its cause. */

import type { ReactNode } from "react";
import type { HostWork, Operation, Step } from "@/api/types";
import { count, duration } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { operationLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { STEP } from "@/states/table";
import { Shape } from "@/ui/marks";
import { MoveOutcomeRow } from "./move-outcome";
import { STEP_TITLES, stepSeconds } from "./words";

const ALL = Object.keys(STEP_TITLES) as Step["name"][];

/** Only hosts that exchange chains, or whose moves are measured, have these. */
const SOME: ReadonlySet<Step["name"]> = new Set(["make", "ready", "measure"]);

/** Those that some host has. */
function stepsOf(operation: Operation): Step["name"][] {
  const there = new Set(operation.hosts.flatMap(({ steps }) => steps.map(({ name }) => name)));
  return ALL.filter((name) => !SOME.has(name) || there.has(name));
}

export function StepsTable({ operation }: { operation: Operation }): ReactNode {
  const order = stepsOf(operation);
  return (
    <table className="steps" aria-label="Steps">
      <thead>
        <tr>
          <th scope="col">Host</th>
          {order.map((name) => (
            <th key={name} scope="col">
              {STEP_TITLES[name]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {operation.hosts.map((work) => (
          <HostRow key={work.host} work={work} order={order} />
        ))}
      </tbody>
    </table>
  );
}

function HostRow({ work, order }: { work: HostWork; order: readonly Step["name"][] }): ReactNode {
  const steps = new Map(work.steps.map((step) => [step.name, step]));
  return (
    <>
      <tr className="step-host">
        <td colSpan={1 + order.length}>
          <b className="strong">{work.host}</b>{" "}
          <span className="t2">
            generation {work.from_generation} → {work.to_generation},
          </span>{" "}
          <StateText look={operationLook(work)} />
          {work.after.length > 0 && steps.get("put")?.state === "waiting" && (
            <span className="t2">, {afterText(work.after)}</span>
          )}
        </td>
      </tr>
      <tr>
        <td className="t2">steps</td>
        {order.map((name) => {
          const step = steps.get(name);
          return (
            <td key={name} className="step-cell">
              {step ? <StepCell step={step} /> : <span className="t3">–</span>}
            </td>
          );
        })}
      </tr>
      {work.outcome && (
        <tr>
          <td className="t2">moves</td>
          <td colSpan={order.length}>
            <MoveOutcomeRow host={work.host} outcome={work.outcome} />
          </td>
        </tr>
      )}
    </>
  );
}

/** "after sim-2", "after sim-2, sim-3 and 4 more hosts". */
export function afterText(hosts: readonly string[]): string {
  const named = hosts.slice(0, 2).join(", ");
  return `after ${named}${hosts.length > 2 ? ` and ${count(hosts.length - 2, "more host")}` : ""}`;
}

function StepCell({ step }: { step: Step }): ReactNode {
  const now = useNow();
  const seconds = stepSeconds(step, now);
  const { words, shape } = STEP[step.state];
  const busy = step.state === "running" || step.state === "undoing";
  const failure = step.state === "failed" ? step.error?.title : undefined;
  const text = failure || step.detail || step.error?.title || words;
  return (
    <div
      className={`step ${step.state}`}
      title={step.error ? `${step.error.title}: ${step.error.detail}` : step.detail}
    >
      {shape && <Shape name={shape} />}
      <span className="step-text">
        {busy ? `${words}${step.detail ? `: ${step.detail}` : ""}` : text}
        {step.attempts > 1 && <span className="t3"> try {step.attempts}</span>}
      </span>
      {seconds !== null && <span className="step-time">{duration(seconds)}</span>}
    </div>
  );
}
