/** The stream, heard from again and again as long as a test lasts: a page that has heard nothing for some seconds lets
 * nothing be changed, and a busy machine takes as long for a test. */

import { act } from "@testing-library/react";
import { onTestFinished } from "vitest";
import { live } from "@/live/store";

const EVERY_MS = 1000;

export function heartbeats(): void {
  const beat = () => act(() => live.receive({ type: "heard", at: Date.now() }));
  beat();
  const timer = setInterval(beat, EVERY_MS);
  onTestFinished(() => clearInterval(timer));
}
