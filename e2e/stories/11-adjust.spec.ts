/** A chain is changed while it runs: rate, pause, CPU, backends; the effect is measured, and no process is restarted. */
import { call, chain, clear, place } from "../support/api.ts";
import { chainRow, expect, figure, section, test } from "../support/console.ts";
import { query } from "../support/runner.ts";

interface Inventory {
  inventory: { capabilities: { name: string; available: boolean; reason: string }[] };
}

let pids: number[] = [];

test.beforeAll(async () => {
  await clear();
  await place({
    ...chain("tuned", ["router", "firewall"]),
    slo: { min_throughput_mpps: 0.01, max_p95_ms: 500 },
  });
  pids = await pidsNow();
});

test.afterEach(async () => expect(await pidsNow(), "no NF was restarted").toEqual(pids));
test.afterAll(clear);

test("another rate, under load: the panel predicts it first, what is offered follows, and the panel says so", async ({
  page,
}) => {
  await page.goto("/chains/tuned");
  const panel = section(page, "Adjust");
  await expect(panel.getByLabel("Rate")).toHaveValue("0.02");
  await panel.getByLabel("Rate").fill("0.08");
  const prediction = panel.getByRole("region", { name: "Prediction" });
  await expect(prediction.getByText(/Mpps with its present settings|never measured on edge-1's model/)).toBeVisible();
  expect((await call<{ spec: { traffic: { rate_mpps: number } } }>("GET", "/chains/tuned")).body.spec.traffic).toEqual(
    expect.objectContaining({ rate_mpps: 0.02 }),
  );
  await panel.getByLabel("Rate").press("Enter");
  const effect = panel.getByRole("status");
  await expect(effect.getByText("COMPLETED")).toBeVisible();
  await expect(effect.getByText(/0\.08\d* Mpps offered/)).toBeVisible();
  await expect(panel.getByLabel("Rate")).toHaveValue("0.08");
  await expect.poll(offered).toBeGreaterThan(0.06);
});

test("a pause: nothing is offered, nothing is lost, every page says paused, and none says violated", async ({
  page,
}) => {
  await page.goto("/chains/tuned");
  const panel = section(page, "Adjust");
  await panel.getByRole("button", { name: "Pause" }).click();
  await expect(panel.getByText("Pause tuned on edge-1")).toBeVisible();
  await expect(panel.getByRole("button", { name: "Resume" })).toBeVisible();
  await expect(panel.getByText("COMPLETED")).toBeVisible();
  await expect.poll(offered).toBe(0);
  const then = await query();
  const lost = then.nfs.map(({ drops }) => drops);

  await expect(
    section(page, "Objectives")
      .getByText(/not evaluated/)
      .first(),
  ).toBeVisible();
  await expect(section(page, "NFs").getByText("paused")).toHaveCount(2);
  await page.goto("/chains");
  await expect(chainRow(page, "tuned").getByText("paused")).toBeVisible();
  await page.goto("/hosts/edge-1");
  await expect(section(page, "NFs").getByText("paused")).toHaveCount(2);
  await expect(section(page, "Chains on this host").getByText("paused")).toBeVisible();
  await page.goto("/?view=table");
  await expect(page.getByTestId("fleet-table").getByText("paused")).toHaveCount(2);
  await expect(section(page, "Violated chains").getByText("No measured objective is missed.")).toBeVisible();

  const now = await query();
  expect(now.chains.find((one) => one.chain === "tuned")?.sent).toBe(sentOf(then));
  expect(now.nfs.map(({ drops }) => drops)).toEqual(lost);

  await page.goto("/chains/tuned");
  await section(page, "Adjust").getByRole("button", { name: "Resume" }).click();
  await expect.poll(offered).toBeGreaterThan(0.06);
  expect(sentOf(await query())).toBeGreaterThan(sentOf(now));
});

test("a CPU quota: the NF is throttled, or the page says why this host cannot", async ({ page }) => {
  await page.goto("/chains/tuned");
  const panel = section(page, "Adjust");
  await panel.getByLabel("CPU share of router").fill("0");
  await expect(panel.getByText("at least 1")).toBeVisible();
  await panel.getByLabel("CPU share of router").fill("300");
  await panel.getByLabel("CPU quota of router").fill("1");
  await panel.getByLabel("Rate").fill("0.4");
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();

  const host = (await call<Inventory>("GET", "/hosts/edge-1")).body;
  const cpu = host.inventory.capabilities.find(({ name }) => name === "cpu-share");
  if (!cpu?.available) {
    await expect(panel.getByText(`No effect on edge-1: ${cpu?.reason}`)).toBeVisible();
    await expect(panel.getByText("cannot be set on edge-1").first()).toBeVisible();
    return;
  }
  await expect(panel.getByRole("status").getByText("COMPLETED")).toBeVisible();
  await expect(panel.getByLabel("CPU share of router")).toHaveValue("300");
  const throttled = panel
    .getByRole("row", { name: /router/ })
    .getByRole("cell")
    .last();
  await expect.poll(() => figure(throttled), { message: "throttled" }).toBeGreaterThan(0);

  await panel.getByRole("radio", { name: "Run to completion" }).click();
  await expect(panel.getByText("share its CPU time").first()).toBeVisible();
  await panel.getByRole("button", { name: "Reset" }).click();
  await panel.getByLabel("CPU share of router").fill("");
  await panel.getByLabel("CPU quota of router").fill("");
  await panel.getByLabel("Rate").fill("0.02");
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();
  await expect(panel.getByRole("status").getByText("COMPLETED")).toBeVisible();
  await expect(panel.getByLabel("CPU share of router")).toHaveValue("");
});

test("backends of a load balancer: packets go to those that are left, and its process stays", async ({ page }) => {
  await place(chain("balanced", ["load-balancer"]));
  const before = await balancer();
  expect(Object.keys(before?.details.backends as object)).toHaveLength(4);
  await page.goto("/chains/balanced");
  const panel = section(page, "Adjust");
  const backends = panel.getByLabel("backends of load-balancer");
  await expect(backends).toHaveValue(/10\.200\.0\.4/);
  await backends.fill('[{"address": "10.200.0.1"}, {"address": "192.168.0.1"}]');
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();
  await expect(panel.getByText(/1\.address: 192\.168\.0\.1 lies inside vip_prefix/)).toBeVisible();
  await backends.fill('[{"address": "10.200.0.1"}, {"address": "10.200.0.2", "weight": 3}]');
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();
  await expect(panel.getByRole("status").getByText("COMPLETED")).toBeVisible();
  await expect(backends).toHaveValue(/"weight":3/);
  const after = await balancer();
  expect(Object.keys(after?.details.backends as object)).toEqual(["10.200.0.1", "10.200.0.2"]);
  expect([after?.pid, after?.drops, after?.starts]).toEqual([before?.pid, 0, 1]);
});

async function balancer(): Promise<Awaited<ReturnType<typeof query>>["nfs"][number] | undefined> {
  return (await query()).nfs.find(({ nf }) => nf === "balanced.load-balancer");
}

/** By the newest sample that the console has. */
async function offered(): Promise<number> {
  const answer = await call<{ sample: { offered_mpps: number } | null }>("GET", "/chains/tuned");
  return answer.body.sample?.offered_mpps ?? Number.NaN;
}

async function pidsNow(): Promise<number[]> {
  return (await query()).nfs.filter(({ nf }) => nf.startsWith("tuned.")).map(({ pid }) => pid);
}

function sentOf(found: Awaited<ReturnType<typeof query>>): number {
  return found.chains.find((one) => one.chain === "tuned")?.sent ?? Number.NaN;
}
