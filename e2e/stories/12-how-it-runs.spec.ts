/** How a new chain shall run is asked for in the form, kept in the tab, shown in the review, and takes effect. */
import { clear } from "../support/api.ts";
import { applyShownPlan, draftChain, expect, section, test } from "../support/console.ts";
import { query } from "../support/runner.ts";

test.beforeAll(clear);
test.afterAll(clear);

test("run to completion: two NFs, one process", async ({ page }) => {
  await draftChain(page, "grouped", ["router", "firewall"]);
  await page.getByLabel("CPU share").fill("300");
  await page.getByRole("radio", { name: "Run to completion" }).click();
  await page.reload();
  await expect(page.getByRole("radio", { name: "Run to completion" })).toBeChecked();
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page.getByRole("status").getByText(/cpu_share/)).toBeVisible();
  const strip = page.getByRole("list", { name: "NFs of the chain, in order" });
  await strip.getByRole("button", { name: /firewall/ }).click();
  await expect(page.getByText("share its CPU time").first()).toBeVisible();
  await page.getByLabel("CPU share").fill("");
  await expect(page.getByText("; run to completion")).toBeVisible();
  await page.getByRole("button", { name: "Submit and plan" }).click();

  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await expect(page.getByLabel("How chains that start will run")).toHaveText("grouped starts: run to completion");
  await applyShownPlan(page);
  const { nfs } = await query();
  const pids = nfs.filter(({ nf }) => nf.startsWith("grouped.")).map(({ pid }) => pid);
  expect([pids.length, new Set(pids).size]).toEqual([2, 1]);
  await page.goto("/chains/grouped");
  await expect(section(page, "Intent").getByText("run to completion")).toBeVisible();
});
