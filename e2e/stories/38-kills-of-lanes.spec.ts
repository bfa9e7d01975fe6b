/** kill -9 of whoever takes part in a scale-out on hosts of measured packets, while packets flow: the lane comes, once,
 * both lanes carry their part, no process is left over, and the way back works. */
import { call, clear, operationIs, planIs } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, testMeasured as test } from "../support/console.ts";
import { arm, disarm, forget, letGo, reached } from "../support/faults.ts";
import { commandLine, kill, pidOf, pidsWith } from "../support/processes.ts";

test.skip(process.getuid?.() !== 0, "namespaces and programs in the kernel need root");

const CHAIN = `apiVersion: sextant/v1
kind: Chain
name: web
nfs: [router, firewall]
ingress: {host: lab-1}
traffic: {rate_mpps: 0.003, packet_bytes: 600, flows: 100}
`;
const LANES = ["web", "web-lane-2"];
/** Of a lane, well below the half of what is sent. */
const CARRIES_MPPS = 0.001;

interface Chain {
  state: string;
  sample: { delivered_mpps: number } | null;
}
interface Plans {
  items: { id: number; state: string }[];
}

test.beforeEach(async () => {
  forget();
  await clear();
  const done = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, CHAIN);
  expect(done.status, done.stderr).toBe(0);
  await carry(["web"]);
});
test.afterEach(() => disarm());

/** These run and carry packets; there is no other chain. */
async function carry(names: string[]): Promise<void> {
  await expect(async () => {
    const { items } = (await call<{ items: { spec: { name: string } }[] }>("GET", "/chains")).body;
    expect(items.map(({ spec }) => spec.name).sort()).toEqual(names);
    for (const name of names) {
      const { state, sample } = (await call<Chain>("GET", `/chains/${name}`)).body;
      expect([name, state]).toEqual([name, "running"]);
      expect(sample?.delivered_mpps ?? 0).toBeGreaterThan(CARRIES_MPPS);
    }
  }).toPass({ timeout: 60_000 });
}

/** Asks for a second lane on the other host; the plan. */
async function scaled(): Promise<number> {
  const asked = await sextant(["chains", "scale", "web", "--lanes", "2", "--host", "lab-2"]);
  expect(asked.status, asked.stderr).toBe(0);
  const [newest] = (await call<Plans>("GET", "/plans?limit=1&sort=-id")).body.items;
  expect(newest?.state).toBe("proposed");
  return newest?.id as number;
}

/** Applies it, does harm while the worker stands at `point`, and sees it through. */
async function harmAt(point: string, harm: () => Promise<void>): Promise<void> {
  const planId = await scaled();
  const { digest } = await planIs(planId, "proposed");
  arm({ [point]: { action: "pause", times: 1 } });
  const started = await call<{ id: number }>("POST", `/plans/${planId}/apply`, undefined, `"${digest}"`);
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  await reached(point);
  await harm();
  letGo(point);
  await endsOnce(started.body.id, planId);
}

/** Both lanes, two NFs each; one operation of the plan; and one lane again. */
async function endsOnce(operationId: number, planId: number): Promise<void> {
  await operationIs(operationId, "COMPLETED");
  await carry(LANES);
  const { items } = (await call<{ items: { plan_id: number }[] }>("GET", "/operations?limit=200")).body;
  expect(items.filter((one) => one.plan_id === planId)).toHaveLength(1);
  expect(pidsWith("sextant-srv6-nf", "--type")).toHaveLength(4);
  expect(pidsWith("sextant-srv6-source", "--chain")).toHaveLength(2);
  const back = await sextant(["chains", "scale", "web", "--lanes", "1", "--apply", "--wait"]);
  expect(back.status, back.stderr).toBe(0);
  await carry(["web"]);
  expect(pidsWith("sextant-srv6-nf", "--type")).toHaveLength(2);
}

function newNfs(): number[] {
  return pidsWith("sextant-srv6-nf", "--type").filter((pid) =>
    commandLine(pid).some((word) => word.includes("/lab-2/")),
  );
}

async function killAll(pids: number[]): Promise<void> {
  expect(pids).not.toEqual([]);
  for (const pid of pids) await kill(pid);
}

for (const [who, point, pids] of [
  ["the daemon of the new lane", "operate.put.after_send", () => pidsWith("sextant-srv6", "lab-2")],
  ["agents", "operate.put.after_send", () => pidsWith("sextant_agent", "serve")],
  ["the root helpers", "operate.put.after_send", () => pidsWith("sextant_agent.helper")],
  ["the worker", "operate.put.after_commit", () => [pidOf("worker") ?? 0]],
  ["NFs of the new lane", "operate.converge.after_commit", newNfs],
] as const) {
  test(`${who}, killed at ${point}`, async () => {
    await harmAt(point, () => killAll(pids()));
  });
}

for (const point of ["operate.claimed", "operate.verify.after_send", "operate.before_end"]) {
  test(`the worker that dies at ${point} is succeeded by another`, async () => {
    arm({ [point]: { action: "kill", times: 1 } });
    const planId = await scaled();
    const { digest } = await planIs(planId, "proposed");
    const started = await call<{ id: number }>("POST", `/plans/${planId}/apply`, undefined, `"${digest}"`);
    expect(started.status, JSON.stringify(started.body)).toBe(202);
    await endsOnce(started.body.id, planId);
  });
}
