/** Studies in words, each state with its shape. */

import type { ReactNode } from "react";
import type { Study } from "@/api/types";
import { Shape } from "@/ui/marks";

/** What became of a repetition; nothing where it is none, or not done. */
export function RepeatedText({ study }: { study: Study }): ReactNode {
  const { repeated } = study;
  if (!repeated) return null;
  if (repeated.equal) {
    return (
      <span className="nowrap">
        <Shape name="ok" />
        equal in every figure
      </span>
    );
  }
  const differs = repeated.differs.map(originName);
  return (
    <span className="warn">
      <Shape name="warn" />
      figures differ{differs.length > 0 ? `; so do ${differs.join(", ")}` : ", and nothing else differs"}
    </span>
  );
}

/** Fields of an origin as a person calls them. */
const ORIGIN: Readonly<Record<string, string>> = {
  lab: "lab",
  python: "Python",
  numpy: "NumPy",
  scipy: "SciPy",
  engine_core: "engine core",
  twin_core: "twin core",
  calibration: "calibration",
  data: "machines and NFs",
  scenario: "scenario",
  jax: "JAX",
};

export function originName(field: string): string {
  return ORIGIN[field] ?? field;
}
