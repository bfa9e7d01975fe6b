/** A chain whose apply is held at a fault point: time to do harm, or to press a button. */
import { expect } from "@playwright/test";
import { apply, submit } from "./api.ts";
import { arm, reached } from "./faults.ts";

export interface Held {
  operationId: number;
  planId: number;
}

/** Submits `spec`, applies its plan, and returns when the worker stands at `point`. */
export async function applyAndHold(spec: Parameters<typeof submit>[0], point: string): Promise<Held> {
  const planId = await submit(spec);
  arm({ [point]: { action: "pause", times: 1 } });
  const started = await apply(planId);
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  await reached(point);
  return { operationId: started.body.id, planId };
}
