/** Provenance marks and state shapes: colour is never alone, so each is a shape with a name. */

import type { ReactNode } from "react";
import { DASH, figure } from "@/lib/format";

export type Origin = "measured" | "predicted" | "simulated" | "assumed";

export function Mark({ origin, why }: { origin: Origin; why?: string }): ReactNode {
  return (
    <span className={`mark ${origin}`} role="img" aria-label={origin} title={why ? `${origin}: ${why}` : origin} />
  );
}

export type ShapeName = "bad" | "warn" | "stale" | "idle" | "ok" | "running" | "cross";

/** Decorative: the word always follows. */
export function Shape({ name }: { name: ShapeName }): ReactNode {
  return <span className={`shape ${name}`} aria-hidden="true" />;
}

/** A figure with its mark, and its interval where there is one. */
export function Figure(props: {
  origin: Origin;
  value: number | null | undefined;
  unit?: string;
  low?: number | null | undefined;
  high?: number | null | undefined;
  why?: string;
}): ReactNode {
  const { origin, value, unit, low, high, why } = props;
  if (value === null || value === undefined) {
    return (
      <span className="nowrap t3" title={why}>
        <Mark origin={origin} {...(why ? { why } : {})} />
        {DASH}
      </span>
    );
  }
  const interval = typeof low === "number" && typeof high === "number" ? ` [${figure(low)}, ${figure(high)}]` : "";
  return (
    <span className="nowrap">
      <Mark origin={origin} {...(why ? { why } : {})} />
      <b className="strong">{figure(value)}</b>
      {unit ? ` ${unit}` : ""}
      {interval && <span className="interval">{interval}</span>}
    </span>
  );
}
