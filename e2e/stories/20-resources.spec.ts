/** An NF that runs gets other resources: planned on its host's page, reviewed, applied, measured in packets, undone. */
import { call, chain, clear, place } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, expect, section, test } from "../support/console.ts";

interface Inventory {
  inventory: { capabilities: { name: string; available: boolean; reason: string }[] };
}
interface NfView {
  seat: { cpu_quota_percent?: number | null };
  sample: { throttled_percent: number | null } | null;
}

const NF = "given.router";

test.beforeAll(async () => {
  await clear();
  await place({ ...chain("given", ["router", "firewall"]), traffic: { rate_mpps: 0.4, packet_bytes: 128 } });
});
test.afterAll(clear);

async function whyNot(capability: string): Promise<string | null> {
  const found = (await call<Inventory>("GET", "/hosts/edge-1")).body.inventory.capabilities.find(
    ({ name }) => name === capability,
  );
  return found?.available ? null : (found?.reason ?? "its driver does not offer it");
}

async function throttled(): Promise<number> {
  return (await call<NfView>("GET", `/nfs/${NF}`)).body.sample?.throttled_percent ?? 0;
}

test("a quota is planned on the host's page, applied on real packets, and undone", async ({ page }) => {
  await page.goto("/hosts/edge-1");
  const nfs = section(page, "NFs");
  await nfs
    .getByRole("row", { name: /router/ })
    .getByRole("button", { name: "Resources" })
    .click();
  const form = page.getByRole("region", { name: `Resources of ${NF}` });
  const noWays = await whyNot("resctrl-cat");
  if (noWays) await expect(form.getByText(`Not on this host: ${noWays}`).first()).toBeVisible();
  const noQuota = await whyNot("cpu-share");
  if (noQuota) {
    await expect(form.getByText(`Not on this host: ${noQuota}`).first()).toBeVisible();
    return;
  }
  await form.getByLabel("CPU quota").fill("101");
  await expect(form.getByText("at most 100")).toBeVisible();
  await form.getByLabel("CPU quota").fill("2");
  await form.getByRole("button", { name: "Plan the change" }).click();
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await expect(page.getByText(`Resources of ${NF}`).first()).toBeVisible();
  await expect(section(page, "Changes").getByText("CPU quota all → 2 %")).toBeVisible();
  await expect(page.getByText("other resources, same place")).toBeVisible();
  await applyShownPlan(page);
  await expect.poll(throttled, { message: "throttled" }).toBeGreaterThan(0);

  const { items } = (await call<{ items: { id: number; kind: string }[] }>("GET", "/operations")).body;
  expect(items[0]?.kind).toBe("resources");
  const undone = await sextant(["operations", "undo", String(items[0]?.id), "--apply", "--wait"]);
  expect(undone.status, undone.stderr).toBe(0);
  await expect.poll(throttled, { message: "throttled" }).toBe(0);
});

test("the command plans the same, and says why a host cannot", async () => {
  const asked = await sextant(["plans", "ask", "--set", `edge-1.${NF}.cpu_quota_percent=50`]);
  const noQuota = await whyNot("cpu-share");
  expect(asked.status, asked.stderr).toBe(noQuota ? 1 : 0);
  expect(asked.stdout).toContain(noQuota ?? "CPU quota");
  const ways = await sextant(["plans", "ask", "--set", `${NF}.llc_ways=4`]);
  const noWays = await whyNot("resctrl-cat");
  expect(ways.status, ways.stderr).toBe(noWays ? 1 : 0);
  if (noWays) expect(ways.stdout.replaceAll(/\s+/g, " ")).toContain("edge-1 cannot give LLC ways");
  const nobody = await sextant(["plans", "ask", "--set", "given.ghost.llc_ways=4"]);
  expect(nobody.status).not.toBe(0);
  expect(nobody.stderr).toContain("no NF given.ghost is placed");
});
