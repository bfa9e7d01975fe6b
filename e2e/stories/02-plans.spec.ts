/** Plans that cannot be carried out: no room, and a rival that came first. */
import { spawnSync } from "node:child_process";
import { apply, chain, clear, operationIs, place, submit } from "../support/api.ts";
import { applyShownPlan, draftChain, expect, section, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

test.beforeEach(clear);

test("a chain without room: the plan says which, what is short, and what would help", async ({ page }) => {
  const nfs = Array.from({ length: 12 }, () => "router");
  await draftChain(page, "crowd", nfs, "0.01");
  await page.getByRole("button", { name: "Submit and plan" }).click();
  const misfit = section(page, "Does not fit");
  await expect(misfit.getByRole("link", { name: "crowd" })).toBeVisible();
  await expect(misfit).toContainText("lacks 2 slots on edge-1");
  await expect(misfit).toContainText("What would help:");
  const button = page.getByRole("button", { name: /^Apply/ });
  await expect(button).toHaveAttribute("aria-disabled", "true");
});

test("of two rival plans the second is refused with the difference, superseded, and made again", async ({ page }) => {
  const second = await submit(chain("second", ["router"]));
  const first = await submit(chain("first", ["router"]));
  await page.goto(`/plans/${second}`);
  await expect(page.getByRole("button", { name: "Apply 1 change" })).toBeVisible();
  // The rival is applied between the page's last look and the click.
  await page.route("**/api/v1/plans/*/apply", async (route) => {
    const started = await apply(first);
    await operationIs(started.body.id, "COMPLETED");
    await route.continue();
  });
  await page.getByRole("button", { name: "Apply 1 change" }).click();
  const difference = page.getByRole("table", { name: "Difference" });
  await expect(difference.getByRole("row", { name: /edge-1/ })).toBeVisible();
  await expect(page.getByText("superseded", { exact: false }).first()).toBeVisible();
  await page.unroute("**/api/v1/plans/*/apply");
  await page.getByRole("button", { name: "Plan again" }).click();
  await expect(page).not.toHaveURL(new RegExp(`/plans/${second}$`));
  await applyShownPlan(page);
});

test("a plan that was rejected cannot be applied", async ({ page }) => {
  const id = await submit(chain("unwanted"));
  await page.goto(`/plans/${id}`);
  await page.getByRole("button", { name: "Reject" }).click();
  await expect(page.getByText("rejected").first()).toBeVisible();
  await expect(page.getByText("The plan was rejected.")).toBeVisible();
  for (const name of [/^Apply/, "Reject"]) await expect(page.getByRole("button", { name })).toHaveCount(0);
  expect((await apply(id)).status).toBe(409);
});

test("what moves on a host shows at once on a plan that was made for it", async ({ page }) => {
  const id = await submit(chain("waiting"));
  await page.goto(`/plans/${id}`);
  await expect(page.getByText("generations unchanged since")).toBeVisible();
  await place(chain("quicker"));
  await expect(page.getByText(/Superseded\.|applying will be refused/)).toBeVisible();
});

test("what 'Copy as curl' copies applies exactly this plan, with the token of whoever runs it", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const id = await submit(chain("by-curl"));
  await page.goto(`/plans/${id}`);
  await expect(page.getByRole("button", { name: "Apply 1 change" })).toBeVisible();
  await page.locator(".apply-bar").getByRole("button", { name: "Copy as curl" }).click();
  await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const { token } = installation();
  expect(text).not.toContain(token);
  const done = spawnSync("/bin/sh", ["-c", text], { env: { ...process.env, SEXTANT_TOKEN: token }, encoding: "utf8" });
  expect(done.status, done.stderr + done.stdout).toBe(0);
  await operationIs(JSON.parse(done.stdout).id, "COMPLETED");
  const refused = spawnSync("/bin/sh", ["-c", text], { env: { ...process.env, SEXTANT_TOKEN: "sxt_x" } });
  expect(refused.status).toBe(22);
});
