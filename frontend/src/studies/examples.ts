/** Scenario files that come with Sextant: where a study of one's own begins. */

import fig4 from "../../../examples/studies/numasfp-fig4.toml?raw";
import fig13 from "../../../examples/studies/numasfp-fig13.toml?raw";
import gains from "../../../examples/studies/placement-gains.toml?raw";
import errors from "../../../examples/studies/prediction-error.toml?raw";
import shares from "../../../examples/studies/sfc2cpu-fig4.toml?raw";
import served from "../../../examples/studies/sfc2cpu-fig5.toml?raw";
import loads from "../../../examples/studies/sfc2cpu-fig5a.toml?raw";

export interface Example {
  readonly key: string;
  readonly text: string;
  /** What it asks. */
  readonly asks: string;
  readonly toml: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    key: "placement-gains",
    text: "Placement gains",
    asks: "What do the placements of four algorithms carry, and what did the models predict?",
    toml: gains,
  },
  {
    key: "prediction-error",
    text: "Prediction error",
    asks: "How far are predictors off on random placements?",
    toml: errors,
  },
  {
    key: "numasfp-fig13",
    text: "NUMASFP, Fig. 13",
    asks: "Two chains whose rates swap: what does the published algorithm make of it, and what does the law?",
    toml: fig13,
  },
  {
    key: "numasfp-fig4",
    text: "NUMASFP, Fig. 4",
    asks: "For how long is a chain below what it is offered while it moves between nodes?",
    toml: fig4,
  },
  {
    key: "sfc2cpu-fig4",
    text: "sfc2cpu, Fig. 4",
    asks: "What do equal shares of a core serve, beside shares by rate and cost?",
    toml: shares,
  },
  {
    key: "sfc2cpu-fig5a",
    text: "sfc2cpu, Fig. 5a",
    asks: "How full do assigners leave cores, under the paper's own model?",
    toml: loads,
  },
  {
    key: "sfc2cpu-fig5",
    text: "sfc2cpu, Fig. 5b and 5c",
    asks: "What do assigners serve on shared cores, and how long do packets take?",
    toml: served,
  },
];

export function exampleOf(key: string | undefined): Example | undefined {
  return EXAMPLES.find((example) => example.key === key);
}
