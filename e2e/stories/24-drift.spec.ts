/** A host loses its ledger, and an operator sees it and orders it again; then keeps a core from NFs, and moves off what
 * stands there. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { call, clear, type NfView, place } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, expect, section, testSimulated as test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { supervisorctl } from "../support/processes.ts";

const WEB = {
  name: "web",
  nfs: ["router", "firewall"],
  ingress: { host: "sim-1" },
  traffic: { rate_mpps: 1, packet_bytes: 64, flows: 1000 },
};

test.describe.configure({ mode: "serial" });

test.beforeAll(clear);

async function host(): Promise<{ status: string; desired_generation: number }> {
  return (await call<{ status: string; desired_generation: number }>("GET", "/hosts/sim-1")).body;
}

async function nfs(): Promise<NfView[]> {
  return (await call<{ items: NfView[] }>("GET", "/nfs?host=sim-1")).body.items;
}

/** A host reports, and a chain of two NFs runs there. */
async function running(): Promise<void> {
  await expect(async () => {
    expect((await nfs()).map(({ actual_core, seat }) => actual_core === seat.core)).toEqual([true, true]);
  }).toPass({ timeout: 60_000 });
}

test("a host that has lost its ledger is marked, compared and ordered again", async ({ page }) => {
  await expect.poll(async () => (await host()).status, { timeout: 60_000 }).toBe("up");
  await place(WEB);
  await running();
  const { desired_generation: generation } = await host();
  expect((await sextant(["hosts", "drift", "sim-1", "--exit-status"])).status).toBe(0);

  await test.step("its process starts again without the file that holds its order", async () => {
    rmSync(join(installation().data, "simulated", "hosts", "sim-1", "ledger.json"));
    supervisorctl("restart", "sextant:simulated");
  });

  await test.step("its page says since when it differs, and in what", async () => {
    await page.goto("/hosts/sim-1");
    const drift = section(page, "Drift");
    await expect(drift).toContainText("2 NFs do not run, since");
    await expect(drift).toContainText(`holds generation 0, not the newest order, which is generation ${generation}`);
    await expect(drift.getByRole("row", { name: /web\.router not running core \d+ nothing/ })).toBeVisible();
    expect((await sextant(["hosts"])).stdout).toContain("up, drift");
  });

  await test.step("the plan says what differed and that nothing else changes; applied, all runs again", async () => {
    await section(page, "Drift").getByRole("button", { name: "Plan the repair" }).click();
    await expect(page).toHaveURL(/\/plans\/\d+$/);
    await expect(section(page, "Drift").getByRole("row", { name: /web\.firewall/ })).toBeVisible();
    await applyShownPlan(page);
    await running();
    await page.goto("/hosts/sim-1");
    await expect(section(page, "Drift")).not.toContainText("do not run");
    await section(page, "Drift").getByRole("button", { name: "Compare now" }).click();
    await expect(section(page, "Drift")).toContainText(`runs what it was ordered, generation ${generation + 1}`);
  });
});

test("a core is kept from NFs: what stands there stays until a plan moves it", async ({ page }) => {
  const [first] = (await nfs()).sort((a, b) => a.seat.core - b.seat.core);
  const core = first?.seat.core ?? -1;
  await page.goto("/hosts/sim-1");
  const cores = section(page, "Reserved cores");

  await test.step("the form says what is wrong, what would be left, and asks why", async () => {
    await cores.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByRole("textbox", { name: "Cores" }).fill("0");
    await expect(dialog).toContainText("core 0 is reserved for system by its agent");
    await dialog.getByRole("textbox", { name: "Cores" }).fill(String(core));
    await dialog.getByLabel("Why").fill("packet capture");
    await dialog.getByRole("button", { name: "Reserve exactly these" }).click();
    await expect(dialog).toBeHidden();
  });

  await test.step("the NF stays and the page says how to move it; the plan does", async () => {
    await expect(cores).toContainText("packet capture");
    await expect(cores).toContainText(`${first?.nf_id} stays on a reserved core until a plan moves it`);
    await page.getByRole("button", { name: "Re-place host" }).click();
    await expect(page).toHaveURL(/\/plans\/\d+$/);
    await expect(page.getByText(`core ${core} is reserved by an operator`).first()).toBeVisible();
    await applyShownPlan(page);
    await running();
    expect((await nfs()).map(({ seat }) => seat.core)).not.toContain(core);
  });

  await test.step("the command gives it back", async () => {
    const done = await sextant(["hosts", "unreserve", "sim-1", "--cores", String(core)]);
    expect(done.stdout, done.stderr).toContain("18 of 24 cores are left for NFs");
    await page.goto("/hosts/sim-1");
    await expect(cores).toContainText("none by operators");
  });
});
