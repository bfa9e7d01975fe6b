/** The agent is away in the middle of an apply: three tries within 30 s, then it goes on once the agent is back, unless an
 * operator decides otherwise before. */
import { call, chain, clear, type Operation, operationIs, place } from "../support/api.ts";
import { expect, test } from "../support/console.ts";
import { disarm, forget, letGo } from "../support/faults.ts";
import { applyAndHold } from "../support/held.ts";
import { supervisorctl } from "../support/processes.ts";
import { timed } from "../support/timed.ts";
import { chainIs, host, hostRuns, packetsFlow } from "../support/truth.ts";

test.beforeEach(async () => {
  forget();
  await clear();
  await place(chain("settled"));
});
test.afterEach(() => {
  disarm();
  supervisorctl("start", "sextant:agent");
});

/** Stops the agent while the worker is held at `point`, and waits until the operation fails temporarily. */
async function failAt(point: string): Promise<Operation> {
  const { operationId } = await applyAndHold(chain("newcomer", ["router", "firewall"]), point);
  supervisorctl("stop", "sextant:agent");
  letGo(point);
  const { answer, awakeMs } = await timed(() => operationIs(operationId, "FAILED_TEMP"));
  expect(awakeMs).toBeLessThan(30_000);
  return answer;
}

test("FAILED_TEMP with cause and next steps; it completes by itself after the agent's return", async () => {
  const { desired_generation: generation } = await host();
  const failed = await failAt("operate.check.after_commit");
  const { error, actions } = (await call<FailedOperation>("GET", `/operations/${failed.id}`)).body;
  expect(error?.type).toBe("urn:sextant:problem:agent-unreachable");
  expect(error?.detail).toContain("edge-1");
  expect(allowed(actions)).toEqual(expect.arrayContaining(["retry", "rollback", "fail"]));
  supervisorctl("start", "sextant:agent");
  await operationIs(failed.id, "COMPLETED");
  await hostRuns(["newcomer", "settled"], generation + 1);
  await packetsFlow("newcomer");
});

test("rollback restores what ran before, under a new generation", async () => {
  const { desired_generation: generation } = await host();
  const failed = await failAt("operate.put.after_commit");
  const asked = await call("POST", `/operations/${failed.id}/rollback`);
  expect(asked.status, JSON.stringify(asked.body)).toBe(202);
  supervisorctl("start", "sextant:agent");
  await operationIs(failed.id, "ROLLED_BACK");
  // one generation for the order, one for its undoing
  await hostRuns(["settled"], generation + 2);
  await chainIs("settled", "running");
  await chainIs("newcomer", "submitted");
  await packetsFlow("settled");
});

interface FailedOperation extends Operation {
  error: { type: string; detail: string } | null;
  actions: { action: string; allowed: boolean }[];
}

function allowed(actions: FailedOperation["actions"]): string[] {
  return actions.filter((offer) => offer.allowed).map((offer) => offer.action);
}
