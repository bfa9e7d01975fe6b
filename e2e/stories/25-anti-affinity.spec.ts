/** Two chains that back each other up: the second finds no host apart, is told why, and goes another way. */
import { chain, clear, place } from "../support/api.ts";
import { applyShownPlan, draftChain, expect, section, test } from "../support/console.ts";

test.beforeEach(clear);

test("a chain of a group is kept off its replica's host, until it leaves the group", async ({ page }) => {
  await place({ ...chain("web-a", ["router"]), anti_affinity: { group: "web", scope: "host" } });

  await test.step("the plan names who holds the host, and what would help", async () => {
    await draftChain(page, "web-b", ["router"], "0.01");
    await page.getByLabel("Group").fill("web");
    await page.getByRole("button", { name: "Submit and plan" }).click();
    const misfit = section(page, "Does not fit");
    await expect(misfit).toContainText("edge-1 holds web-a of anti-affinity group web");
    await expect(misfit).toContainText("place it without anti-affinity group web");
  });

  await test.step("without the group it is planned anew, and runs", async () => {
    await page.goto("/chains/web-b");
    await page.getByRole("button", { name: "Change group" }).click();
    await page.getByRole("alertdialog").getByLabel("Group").fill("");
    await page.getByRole("button", { name: "Take it out of every group" }).click();
    await expect(page.getByRole("button", { name: "Keep apart" })).toBeVisible();
    await page.getByRole("link", { name: /^Review plan/ }).click();
    await applyShownPlan(page);
  });

  await test.step("the group is refused while both stand there", async () => {
    await page.goto("/chains/web-b");
    await page.getByRole("button", { name: "Keep apart" }).click();
    await page.getByRole("alertdialog").getByLabel("Group").fill("web");
    await page.getByRole("button", { name: "Set the group" }).click();
    await expect(page.getByRole("alertdialog")).toContainText("web-b stands with web-a on edge-1");
  });
});
