/** Scenario files that come with Sextant: where a study of one's own begins. */

import gains from "../../../examples/studies/placement-gains.toml?raw";
import errors from "../../../examples/studies/prediction-error.toml?raw";

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
];

export function exampleOf(key: string | undefined): Example | undefined {
  return EXAMPLES.find((example) => example.key === key);
}
