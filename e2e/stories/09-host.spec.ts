/** One host: its picture, what was measured of each NF, what it cannot do; and an NF is moved from here under load. */
import { call, chain, clear, place } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, expect, figure, section, test } from "../support/console.ts";
import { affinity } from "../support/processes.ts";
import { query } from "../support/runner.ts";

type Capability = { name: string; available: boolean };

test.beforeAll(async () => {
  await clear();
  await place({ ...chain("busy", ["router", "firewall", "simple-forward"]), slo: { max_p95_ms: 500 } });
});

test("from the fleet to the host: picture, NFs with measured figures, chain with percentiles, what it cannot do", async ({
  page,
}) => {
  await page.goto("/");
  await page.getByTestId("heat-map").getByRole("link", { name: "edge-1" }).click();
  await expect(page).toHaveURL(/\/hosts\/edge-1$/);

  await test.step("the picture, by keyboard", async () => {
    const picture = page.getByTestId("host-picture");
    await expect(picture.getByText("Node 0", { exact: true })).toBeVisible();
    await expect(picture.getByText("3 of 10 slots in use")).toBeVisible();
    await picture.focus();
    await expect(async () => {
      await picture.press("ArrowRight");
      await picture.press("Enter");
      await expect(page.getByRole("table", { name: "Figures of busy.firewall" })).toBeVisible({ timeout: 500 });
    }).toPass();
    await expect(page).toHaveURL(/pin=/);
  });

  await test.step("what Sextant does by itself here", async () => {
    const automation = section(page, "Automation");
    const policies = automation.getByText(/the fleet's policy is (recommend|manual|automatic)/);
    await expect(policies, "of every law").toHaveCount(4);
    await expect(automation.getByText(/^The agent restarts an NF that ends/)).toBeVisible();
    expect((await sextant(["automation", "--host", "edge-1"])).stdout).toContain("The agent restarts an NF that ends");
  });

  await test.step("every NF in a row, measured", async () => {
    const nfs = section(page, "NFs");
    const narrow = page.viewportSize();
    await page.setViewportSize({ width: 2200, height: 900 }); // room for every column
    await expect(nfs.getByRole("img", { name: "measured" })).toBeVisible();
    const cells = nfs.getByRole("row", { name: /router/ }).getByRole("cell");
    await expect(cells.nth(1)).toHaveText("running");
    await expect.poll(() => figure(cells.nth(8)), { message: "Mpps out" }).toBeGreaterThan(0.01);
    await expect.poll(() => figure(cells.nth(11)), { message: "cycles a packet" }).toBeGreaterThan(0);
    await expect(cells.nth(9)).toHaveText("0");
    await expect(cells.nth(4), "utilisation is reported").toHaveText(/\d/);
    if (narrow) await page.setViewportSize(narrow);
  });

  await test.step("the same as tables", async () => {
    await page.keyboard.press("t");
    const slots = page.getByRole("table", { name: "Every core and slot" });
    await expect(slots.getByRole("row")).toHaveCount(1 + 10);
    await expect(slots.getByRole("cell", { name: "simple-forward" })).toBeVisible();
    await page.keyboard.press("t");
  });

  await test.step("its chain: traffic, percentiles, their last seconds", async () => {
    const chains = section(page, "Chains on this host");
    const row = chains.getByRole("row", { name: /busy/ }).first();
    for (const at of [9, 10, 11, 12]) await expect(row.getByRole("cell").nth(at)).toHaveText(/^\d+(\.\d+)? (µs|ms)$/);
    const detail = page.getByRole("region", { name: "Chain busy" });
    await expect(detail.getByText(/^0\.02 Mpps of 128 B, 1.000 flows$/)).toBeVisible();
    await expect(detail.getByText("udp 10.0.0.0/8 → 192.168.0.0/16")).toBeVisible();
    await detail.getByRole("radio", { name: "Table" }).click();
    await expect(page.getByRole("table", { name: "Samples of busy" }).getByRole("row").nth(2)).toBeVisible();
  });

  await test.step("what the host can do and what not; interference", async () => {
    const { body } = await call<{ inventory: { capabilities: Capability[] } }>("GET", "/hosts/edge-1");
    expect(body.inventory.capabilities.map(({ name }) => name)).toContain("profiling");
    await section(page, "Can")
      .getByText(/^\d+ capabilities$/)
      .click();
    for (const { name, available } of body.inventory.capabilities)
      await expect(section(page, available ? "Can" : "Cannot").getByText(name, { exact: true })).toBeVisible();
    await section(page, "Interference").getByRole("button", { name: "Show" }).click();
    await expect(section(page, "Interference").getByText(/Octans' model does not apply/)).toBeVisible();
  });
});

test("an NF is moved from its row while packets flow: it arrives, and none is lost, damaged or out of order", async ({
  page,
}) => {
  const before = (await query()).nfs.find(({ nf }) => nf === "busy.firewall");
  const target = before?.core === 0 ? 1 : 0;
  await page.goto("/hosts/edge-1");
  const nfs = section(page, "NFs");
  await nfs
    .getByRole("row", { name: /firewall/ })
    .getByRole("button", { name: "Migrate" })
    .click();
  const choice = page.getByRole("region", { name: "Migrate busy.firewall" });
  await choice.getByRole("button", { name: `Plan the move to core ${target}`, exact: true }).click();
  await applyShownPlan(page);

  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("edge-1");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/hosts\/edge-1$/);
  const row = nfs.getByRole("row", { name: /firewall/ });
  await expect(row.getByRole("button", { name: `0/${target}` })).toBeVisible();
  await expect(section(page, "Operations").getByText("completed").first()).toBeVisible();
  expect(affinity(before?.pid as number)).toEqual([String(target)]);

  // Packets still arrive after the move: they come in bursts, so two queries in a row may see the same count.
  const at = await delivered();
  await expect.poll(delivered).toBeGreaterThan(at);
  await expect.poll(missing, { timeout: 60_000, intervals: [20] }).toBe(0);
  const now = await query();
  expect(now.chains.find((one) => one.chain === "busy")).toMatchObject({ misordered: 0, damaged: 0 });
  expect(now.nfs.map(({ drops }) => drops)).toEqual([0, 0, 0]);
});

/** Packets of the chain that reached the sink so far. */
async function delivered(): Promise<number> {
  return (await query()).chains.find((one) => one.chain === "busy")?.delivered ?? 0;
}

/** Packets that were sent and neither delivered nor filtered: lost ones for ever, those in rings for a moment. */
async function missing(): Promise<number> {
  const { chains, nfs } = await query();
  const busy = chains.find((one) => one.chain === "busy");
  const filtered = nfs.reduce((sum, nf) => sum + nf.filtered, 0);
  return (busy?.sent ?? 0) - (busy?.delivered ?? 0) - filtered;
}

test("a host that is not there: what to do next", async ({ page }) => {
  await page.goto("/hosts/nowhere");
  await expect(page.getByText("There is no host")).toBeVisible();
  await page.getByRole("link", { name: "Go to the fleet" }).click();
  await expect(page.getByTestId("heat-map")).toBeVisible();
});
