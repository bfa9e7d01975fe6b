/** The tour: from signing in to a chain on real packets, a move, and the end of it. */
import { clear } from "../support/api.ts";
import { applyShownPlan, chainRow, draftChain, expect, figure, fleetRow, section, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { affinity } from "../support/processes.ts";
import { query } from "../support/runner.ts";

test.beforeAll(clear);

test("a wrong password is reported beside the field; the right one leads to the fleet", async ({ guest }) => {
  await guest.goto("/chains");
  await guest.getByLabel("Password").fill("wrong");
  await guest.getByRole("button", { name: "Sign in" }).click();
  await expect(guest.getByText(/admin-password\.$/)).toBeVisible();
  await guest.getByLabel("Password").fill(installation().password);
  await guest.getByRole("button", { name: "Sign in" }).click();
  await expect(guest).toHaveURL(/\/chains$/);
  await guest.getByRole("link", { name: "Fleet", exact: true }).click();
  await expect(guest.getByTestId("heat-map")).toBeVisible();
  await guest.getByRole("button", { name: "Sign out" }).click();
  await expect(guest).toHaveURL(/\/sign-in/);
});

test("router -> firewall -> basic-monitor: submitted, reviewed, applied, measured, moved, deleted", async ({
  page,
}) => {
  await test.step("submit", async () => {
    await draftChain(page, "tour", ["router", "firewall", "basic-monitor"]);
    await page.getByLabel("Throughput").fill("0.05");
    await page.getByLabel("Latency p95").fill("200");
    await page.getByRole("button", { name: "Submit and plan" }).click();
    await expect(page).toHaveURL(/\/plans\/\d+$/);
  });

  await test.step("read the plan", async () => {
    await expect(page.getByRole("table", { name: "Changes" }).getByRole("row")).toHaveCount(4);
    await expect(page.getByText("Octans' model does not apply").first()).toBeVisible();
    await expect(page.getByText("generations unchanged since")).toBeVisible();
  });

  await test.step("apply", () => applyShownPlan(page));

  await test.step("see what was measured, on the map and in its table", async () => {
    await page.goto("/");
    const map = page.getByTestId("heat-map");
    await map.focus();
    await expect(async () => {
      await map.press("ArrowRight");
      await map.press("Enter");
      await expect(page.getByRole("table", { name: "Figures of tour.router" })).toBeVisible({ timeout: 500 });
    }).toPass();
    const figures = page.getByRole("table", { name: "Figures of tour.router" });
    await expect(figures.getByRole("columnheader", { name: "measured" })).toBeVisible();
    const out = figures
      .getByRole("row", { name: /Mpps out/ })
      .getByRole("cell")
      .nth(1);
    await expect.poll(() => figure(out)).toBeGreaterThan(0.05);

    await page.goto("/?view=table");
    const row = fleetRow(page, "tour", "basic-monitor");
    await expect(row.getByRole("cell").nth(4), "utilisation is reported").toHaveText(/\d/);
    await expect.poll(() => figure(row.getByRole("cell").nth(7)), { message: "Mpps" }).toBeGreaterThan(0.05);
    await expect(row.getByRole("img", { name: "measured" })).toBeVisible();

    await page.goto("/chains");
    const chain = chainRow(page, "tour");
    await expect(chain.getByText("≥ 0.05 Mpps, met")).toBeVisible();
    await expect(chain.getByText(/^\d+(\.\d+)? (µs|ms)$/)).toBeVisible();
    await expect(chain.getByRole("img", { name: "measured" })).toHaveCount(2);
  });

  await test.step("move the firewall to core 0, and see it there", async () => {
    const before = (await query()).nfs.find(({ nf }) => nf === "tour.firewall");
    expect(before?.core).not.toBe(0);
    await page.goto("/chains/tour");
    await page
      .getByRole("row", { name: /firewall/ })
      .getByRole("link", { name: /^edge-1\// })
      .click();
    const figures = page.getByRole("table", { name: "Figures of tour.firewall" });
    await expect(figures).toBeVisible();
    const occupant = page.locator(".occupant").filter({ has: figures });
    await occupant.getByRole("button", { name: "Migrate" }).click();
    await occupant.getByRole("button", { name: "Plan the move to core 0", exact: true }).click();
    await expect(page.getByRole("table", { name: "Changes" }).getByText("edge-1/0/1 → edge-1/0/0")).toBeVisible();
    await applyShownPlan(page);
    await page.goto("/chains/tour");
    await expect(page.getByRole("row", { name: /firewall/ }).getByRole("link", { name: "edge-1/0/0" })).toBeVisible();
    const after = (await query()).nfs.find(({ nf }) => nf === "tour.firewall");
    expect(after?.pid).toBe(before?.pid);
    expect(affinity(after?.pid as number)).toEqual(["0"]);
  });

  await test.step("delete the chain; its slots are free", async () => {
    await page.getByRole("button", { name: "Delete chain" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete tour" }).click();
    await expect(page.getByText("COMPLETED").first()).toBeVisible();
    await page.goto("/");
    await expect(page.getByText(/2 cores, 0 slots in use/)).toBeVisible();
    expect((await query()).chains).toEqual([]);
  });
});

test("a chain of mixed sizes and random arrivals: drafted, applied, measured in Gbps too", async ({ page }) => {
  await draftChain(page, "mixed", ["simple-forward"], "0.05");
  await page.getByText("Sizes, arrivals, flows, payload").click();
  await page.getByRole("radio", { name: "IMIX" }).click();
  await page.getByRole("radio", { name: "Poisson" }).click();
  await expect(section(page, "Traffic").getByText("361.8 B on average")).toBeVisible();
  await page.reload(); // the draft is kept
  await expect(page.getByRole("radio", { name: "Poisson" })).toBeChecked();
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await applyShownPlan(page);
  await page.goto("/chains/mixed");
  await expect(section(page, "Intent").getByText(/^0\.05 Mpps of IMIX 7:4:1, Poisson, 1.000 flows$/)).toBeVisible();
  await expect(section(page, "Objectives").getByText(/^\d\S* Mpps, \d\S* Gbps$/)).toBeVisible();
  await clear();
});

test("the map's cells say on hover what they show", async ({ page }) => {
  await page.goto("/");
  const map = page.getByTestId("heat-map");
  const box = await map.boundingBox();
  expect(box).not.toBeNull();
  let x = 20;
  await expect(async () => {
    x = x < 80 ? x + 7 : 20; // walk over the first cells: where they begin depends on fonts
    await map.hover({ position: { x, y: (box?.height ?? 0) / 2 } });
    await expect(page.getByRole("tooltip").getByText(/edge-1 · node 0 · core/)).toBeVisible({ timeout: 200 });
  }).toPass();
  await expect(section(page, "Needs attention")).toBeVisible();
});
