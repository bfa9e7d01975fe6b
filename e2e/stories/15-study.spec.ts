/** A study on simulated servers: written in the browser, watched, drawn, repeated to the same figures; one cancelled. */
import type { Page } from "@playwright/test";
import { call } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, figure, section, test } from "../support/console.ts";
import { forgetStudies, SCENARIO, type Study } from "../support/lab.ts";

/** Long enough to be cancelled in the middle. */
const MANY_RUNS = SCENARIO.replace("seeds = [1, 2]", `seeds = [${Array.from({ length: 60 }, (_, seed) => seed)}]`);

let done = 0;

test.describe.configure({ mode: "serial" });
test.beforeAll(forgetStudies);
test.afterAll(forgetStudies);

test("a study is begun from an example, refused beside its line, mended and started", async ({ page }) => {
  await page.goto("/studies");
  await page.getByRole("link", { name: "Placement gains" }).click();
  const scenario = page.getByRole("textbox", { name: "Scenario" });
  await expect(scenario).toHaveValue(/name = "placement-gains"/);
  await scenario.fill(SCENARIO.replace('"node_balance"', '"by-hand"'));
  await page.getByRole("button", { name: "Run study" }).click();
  await expect(page.getByText(/^algorithms\.1: /)).toBeVisible();
  await page.getByRole("button", { name: "Go to line 4" }).click();
  await expect(scenario).toBeFocused();
  await scenario.fill(SCENARIO);
  await page.getByRole("button", { name: "Run study" }).click();
  done = await studyOf(page);
  await expect(page.getByText("Does it matter who places two chains?", { exact: true })).toBeVisible();
});

test("what it found is drawn, with its intervals, marked as simulated, and shown by the command line", async ({
  page,
}) => {
  await page.goto(`/studies/${done}`);
  const carried = section(page, "Carried");
  await expect(carried.getByRole("img", { name: /by set and algorithm: edge$/ })).toBeVisible({ timeout: 60_000 });
  await expect(carried.getByRole("img", { name: "simulated" })).toBeVisible();
  await carried.getByText("As a table, 2 rows").click();
  const rows = carried.getByRole("table", { name: "Carried and predicted" }).getByRole("row");
  const [exact, balance] = [rows.nth(1), rows.nth(2)];
  await expect(exact.getByRole("cell").nth(1)).toHaveText("exact");
  // Spread evenly, NFs stand away from the NICs though all would fit beside them.
  expect(await figure(exact.getByRole("cell").nth(2))).toBeGreaterThan(await figure(balance.getByRole("cell").nth(2)));
  await expect(section(page, "Gain of exact").getByText(/^\+.* %$/)).toBeVisible();
  await expect(section(page, "Fits").getByRole("row")).toHaveCount(1 + 2);
  const [result] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Result, JSON" }).click(),
  ]);
  expect(result.suggestedFilename()).toBe(`study-${done}-story.json`);
  const shown = await sextant(["studies", "show", String(done)]);
  expect(shown.stdout).toMatch(/exact over node_balance: \d/);
});

test("repeated, it finds the same in every figure", async ({ page }) => {
  await page.goto(`/studies/${done}`);
  await page.getByRole("button", { name: "Repeat" }).click();
  await expect(page.getByText(`Repeats study ${done}`)).toBeVisible();
  const repetition = await studyOf(page);
  expect(repetition).toBeGreaterThan(done);
  await expect(page.getByText("equal in every figure")).toBeVisible({ timeout: 60_000 });
  const { body } = await call<Study>("GET", `/studies/${repetition}`);
  expect(body.repeated).toEqual({ equal: true, differs: [] });
});

test("one that runs reports how far it is, and is cancelled", async ({ page }) => {
  await page.goto(`/studies/new?from=${done}`);
  const scenario = page.getByRole("textbox", { name: "Scenario" });
  await expect(scenario).toHaveValue(SCENARIO);
  await scenario.fill(MANY_RUNS);
  await page.getByRole("button", { name: "Run study" }).click();
  const id = await studyOf(page);
  // A step a run's profiling, and one its only set.
  await expect(section(page, "Progress").getByText(/^[1-9]\d* of 120 steps$/)).toBeVisible({ timeout: 60_000 });
  await expect(section(page, "Progress").getByText(/^about /)).toBeVisible({ timeout: 60_000 });
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByText("It was cancelled; partial results were discarded.")).toBeVisible();
  expect((await call("GET", `/studies/${id}/result`)).status).toBe(409);
  await page.goto("/studies?state=cancelled");
  await expect(page.getByRole("table", { name: "Studies" }).getByRole("link", { name: String(id) })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type(`study ${done}`);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/studies/${done}$`));
});

/** The number of the study whose page was gone to. */
async function studyOf(page: Page): Promise<number> {
  await expect(page).toHaveURL(/\/studies\/\d+$/);
  return Number(page.url().split("/").at(-1));
}
