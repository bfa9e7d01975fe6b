/** The canvas's colours: the tokens as the browser computes them now. */

import { STEPS, textOn } from "@/lib/ramp";
import type { RampKey } from "./layers";

export interface Ramp {
  readonly steps: readonly string[];
  /** The text that each step carries. */
  readonly onSteps: readonly string[];
}

export interface Palette {
  readonly ground: string;
  readonly raised: string;
  readonly reserved: string;
  readonly free: string;
  /** Fills, in `mass`, where a mark is too small for an outline. */
  readonly freeMark: string;
  readonly reservedMark: string;
  readonly edge: string;
  readonly text1: string;
  readonly text2: string;
  readonly text3: string;
  readonly accent: string;
  readonly bad: string;
  readonly warn: string;
  readonly ramps: Readonly<Record<RampKey, Ramp>>;
  readonly sans: string;
}

export function readPalette(root: Element = document.documentElement): Palette {
  const style = getComputedStyle(root);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const ramp = (name: string): Ramp => {
    const steps = Array.from({ length: STEPS }, (_, step) => token(`${name}-${step}`));
    return { steps, onSteps: steps.map(textOn) };
  };
  return {
    ground: token("bg-0"),
    raised: token("bg-1"),
    reserved: token("bg-3"),
    free: token("line-2"),
    freeMark: token("line-1"),
    reservedMark: token("line-2"),
    edge: token("text-2"),
    text1: token("text-1"),
    text2: token("text-2"),
    text3: token("text-3"),
    accent: token("accent"),
    bad: token("bad"),
    warn: token("warn"),
    ramps: { sequential: ramp("seq"), diverging: ramp("div") },
    sans: token("sans"),
  };
}
