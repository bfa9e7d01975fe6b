/** An operation that stopped, decided in the browser: what it says, and what its buttons do. */
import { chain, clear, operationIs, place } from "../support/api.ts";
import { expect, section, test } from "../support/console.ts";
import { disarm, forget, letGo } from "../support/faults.ts";
import { applyAndHold } from "../support/held.ts";
import { supervisorctl } from "../support/processes.ts";
import { host, hostRuns } from "../support/truth.ts";

test.beforeEach(async () => {
  forget();
  await clear();
  await place(chain("settled"));
});
test.afterEach(() => {
  disarm();
  supervisorctl("start", "sextant:agent");
});

test("a stopped operation names cause and next step; Roll back restores what ran before", async ({ page }) => {
  const { desired_generation: generation } = await host();
  const point = "operate.put.after_commit";
  const { operationId: id } = await applyAndHold(chain("newcomer", ["router", "firewall"]), point);
  supervisorctl("stop", "sextant:agent");
  letGo(point);
  await page.goto(`/operations/${id}`);
  await expect(page.getByText("FAILED_TEMP").first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("Next step")).toBeVisible();
  await expect(page.getByRole("button", { name: "Retry" })).toBeEnabled();
  await expect(page.getByText("continues when the host is back").first()).toBeVisible();
  // An agent that is back before the console has heard of it would complete what is to be rolled back.
  const asked = page.waitForResponse((answer) => answer.url().endsWith(`/operations/${id}/rollback`));
  await page.getByRole("button", { name: "Roll back" }).click();
  expect((await asked).status()).toBe(202);
  supervisorctl("start", "sextant:agent");
  await expect(page.getByText("rolled back").first()).toBeVisible({ timeout: 60_000 });
  await hostRuns(["settled"], generation + 2);
});

test("Cancel stops a running operation before its order is sent; nothing changed", async ({ page }) => {
  const { desired_generation: generation } = await host();
  const point = "operate.check.before_send";
  const { operationId: id } = await applyAndHold(chain("newcomer", ["router", "firewall"]), point);
  await page.goto(`/operations/${id}`);
  await section(page, "Actions").getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("requested; it stops before the next step")).toBeVisible();
  letGo(point);
  await operationIs(id, "CANCELLED");
  await expect(page.getByText("CANCELLED").first()).toBeVisible();
  await hostRuns(["settled"], generation);
});

test("Give up leaves the order as it stands, and the operation ends", async ({ page }) => {
  const point = "operate.check.after_commit";
  const { operationId: id } = await applyAndHold(chain("newcomer", ["router", "firewall"]), point);
  supervisorctl("stop", "sextant:agent");
  letGo(point);
  await page.goto(`/operations/${id}`);
  await expect(page.getByText("FAILED_TEMP").first()).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Give up" }).click();
  await operationIs(id, "FAILED");
  await expect(page.getByText("failed", { exact: true }).first()).toBeVisible();
});
