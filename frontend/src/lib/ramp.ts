/** Ramps are keys that can be read back: a value takes one of nine steps, nothing between. */

export const STEPS = 9;

/** Sequential: step of a value on a fixed scale 0 to max; values beyond the end take the end step. */
export function sequentialStep(value: number, max: number): number {
  return Math.max(0, Math.min(STEPS - 1, Math.floor((value / max) * STEPS)));
}

/** Diverging: step of a value on a fixed scale -max to max; 4 is the middle. */
export function divergingStep(value: number, max: number): number {
  return sequentialStep(value + max, 2 * max);
}

/** Relative luminance of "#rrggbb" (WCAG 2). */
export function luminance(hex: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

export const ON_DARK = "#ffffff";
export const ON_LIGHT = "#0b0d0f";

/** White or near-black, whichever contrasts more. */
export function textOn(ground: string): string {
  return contrast(ground, ON_DARK) >= contrast(ground, ON_LIGHT) ? ON_DARK : ON_LIGHT;
}
