/** kill -9 of every kind of process in mid-operation: the operation ends rightly, once; nothing is lost or left over. */
import { apply, call, chain, clear, operationIs, submit } from "../support/api.ts";
import { expect, test } from "../support/console.ts";
import { arm, disarm, forget, letGo } from "../support/faults.ts";
import { applyAndHold } from "../support/held.ts";
import { installation, processesOf } from "../support/installation.ts";
import { alive, kill, pidOf, type Role } from "../support/processes.ts";
import { query } from "../support/runner.ts";
import { chainIs, host, hostRuns, packetsFlow } from "../support/truth.ts";

const NFS = ["router", "firewall", "basic-monitor"];

test.beforeEach(async () => {
  forget();
  await clear();
});
test.afterEach(() => disarm());

/** Applies a chain, does `harm` while the worker is held at `point`, and sees the operation through. */
async function harmAt(point: string, name: string, harm: () => Promise<void>): Promise<void> {
  const { desired_generation: generation } = await host();
  const { operationId, planId } = await applyAndHold(chain(name, NFS), point);
  await harm();
  letGo(point);
  await endsOnce(operationId, planId, name, generation);
}

/** Completed; the generation rose by one; one operation for the plan; packets flow; no process too many. */
async function endsOnce(operationId: number, planId: number, name: string, generation: number): Promise<void> {
  await operationIs(operationId, "COMPLETED");
  await hostRuns([name], generation + 1);
  await chainIs(name, "running");
  await packetsFlow(name);
  const operations = await call<{ items: { plan_id: number }[] }>("GET", "/operations?limit=200");
  expect(operations.body.items.filter((one) => one.plan_id === planId)).toHaveLength(1);
  await noOrphans();
}

/** Of the runner's kind there are the runner, its traffic process and one process an NF. */
async function noOrphans(): Promise<void> {
  const { nfs } = await query();
  const packetMovers = processesOf(installation().id).filter(({ program }) => program.endsWith("/sextant-runner"));
  expect(packetMovers).toHaveLength(2 + nfs.length);
}

/** Kills the process of a role; another one takes its place. */
async function killRole(role: Role): Promise<void> {
  const pid = pidOf(role);
  expect(pid, `a ${role} runs`).toBeDefined();
  await kill(pid as number);
  await expect.poll(() => pidOf(role), { timeout: 60_000, intervals: [50] }).toBeDefined();
  expect(pidOf(role)).not.toBe(pid);
}

for (const [role, point] of [
  ["worker", "operate.put.after_send"],
  ["agent", "operate.put.after_send"],
  ["runner", "operate.converge.before_send"],
  ["valkey", "operate.put.before_send"],
  ["postgres", "operate.put.after_send"],
] as const) {
  test(`${role} killed at ${point}`, async () => {
    await harmAt(point, `kill-${role}`, () => killRole(role));
  });
}

test("an NF killed before its host is verified is started again, and the restart is reported", async () => {
  const point = "operate.converge.after_commit";
  await harmAt(point, "kill-nf", async () => {
    const victim = (await query()).nfs.find(({ nf }) => nf === "kill-nf.firewall");
    expect(victim).toBeDefined();
    await kill(victim?.pid as number);
  });
  const { nfs } = await query();
  expect(nfs.map(({ nf, starts }) => [nf, starts]).sort()).toEqual([
    ["kill-nf.basic-monitor", 1],
    ["kill-nf.firewall", 2],
    ["kill-nf.router", 1],
  ]);
  await expect
    .poll(async () => (await call<{ restarts: number }>("GET", "/nfs/kill-nf.firewall")).body.restarts)
    .toBe(1);
});

for (const point of [
  "plan.before_store",
  "plan.after_commit",
  "operate.claimed",
  "operate.check.after_commit",
  "operate.put.after_commit",
  "operate.verify.after_send",
  "operate.before_end",
]) {
  test(`the worker that dies at ${point} is succeeded by another`, async () => {
    const { desired_generation: generation } = await host();
    arm({ [point]: { action: "kill", times: 1 } });
    const planId = await submit(chain("succession", NFS));
    const started = await apply(planId);
    expect(started.status, JSON.stringify(started.body)).toBe(202);
    await endsOnce(started.body.id, planId, "succession", generation);
  });
}

test("a worker that died in the middle of a removal: the chain is gone once, its slots are free", async () => {
  const planId = await submit(chain("going", NFS));
  await operationIs((await apply(planId)).body.id, "COMPLETED");
  const { desired_generation: generation } = await host();
  arm({ "operate.put.after_send": { action: "kill", times: 1 } });
  await clear();
  await hostRuns([], generation + 1);
  expect((await call("GET", "/chains/going")).status).toBe(404);
  await noOrphans();
});

test("packets flow on while the agent is dead, and its successor adopts the runner", async () => {
  const planId = await submit(chain("steady", NFS));
  await operationIs((await apply(planId)).body.id, "COMPLETED");
  const runner = pidOf("runner") as number;
  const before = (await query()).nfs.map(({ pid }) => pid).sort();
  await kill(pidOf("agent") as number);
  await packetsFlow("steady");
  const { desired_generation: generation } = await host();
  await hostRuns(["steady"], generation);
  expect(alive(runner)).toBe(true);
  expect((await query()).nfs.map(({ pid }) => pid).sort()).toEqual(before);
});
