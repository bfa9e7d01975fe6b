/** axe finds nothing serious on any route in either theme; the keyboard alone takes a chain from draft to packets. */
import type { Page } from "@playwright/test";
import axe from "axe-core";
import { apply, chain, clear, operationIs, store, submit } from "../support/api.ts";
import { chainName, expect, inTheme, test } from "../support/console.ts";
import { forgetStudies, SCENARIO, startStudy, studyIs } from "../support/lab.ts";
import { comparedOn, compareOn, studyFile } from "../support/study.ts";

/** The small study's chains at random places, which are drawn otherwise. */
const PREDICTION = SCENARIO.replace('"placement"', '"prediction"').replace(/^algorithms.*$/m, "placements = 2");

/** What a theme can break: all else of a page is the same in both. */
const COLOURS = ["color-contrast", "link-in-text-block"];

let routes: string[] = [];

test.beforeAll(async () => {
  await clear();
  const plan = await submit(chain("seen", ["router", "firewall"]));
  const started = await apply(plan);
  await operationIs(started.body.id, "COMPLETED");
  const open = await submit(chain("open"));
  await store("seen.routes", "routes", "192.168.0.0/16 7\n");
  const study = await comparedOn(await compareOn(await studyFile(), ["exact", "node_first"]));
  const found = await startStudy(SCENARIO);
  const predicted = await startStudy(PREDICTION);
  for (const id of [found, predicted]) await studyIs(id, "done");
  routes = [
    "/",
    "/?view=table",
    "/?pin=edge-1%2F1%2F0",
    `/?at=${new Date(Date.now() - 60_000).toISOString()}`,
    "/hosts/edge-1",
    "/hosts/edge-1?pin=1%2F0&interference=true",
    "/hosts/edge-1?view=table",
    "/hosts/nowhere",
    "/chains",
    "/chains/new",
    "/chains/seen",
    "/nf-types",
    "/nf-types/firewall",
    "/register-nf-type?runs=firewall",
    "/plans",
    `/plans/${open}`,
    "/plans/compare",
    `/comparisons/${study.id}`,
    `/plans/${study.plans[0]?.plan_id}`,
    "/artefacts",
    "/artefacts?kind=pcap&search=nothing",
    "/operations",
    `/operations/${started.body.id}`,
    "/audit",
    "/automation",
    "/automation?tab=numasfp",
    "/users",
    "/account",
    "/alerts",
    "/studies",
    "/studies/new",
    `/studies/${found}`,
    `/studies/${predicted}`,
    "/nowhere",
  ];
});

test.afterAll(forgetStudies);

test("axe finds nothing serious on any route, dark and light", async ({ page }) => {
  test.setTimeout(600_000);
  for (const route of routes) await looksRight(page, route);
});

test("axe finds nothing serious where one signs in, and what is put there wrong in either theme", async ({ guest }) => {
  for (const theme of ["dark", "light"] as const) {
    // Where nobody has signed in there is no switch: the page begins as the system prefers.
    await guest.emulateMedia({ colorScheme: theme });
    await guest.goto("/sign-in");
    await expect(guest.getByRole("main")).toBeVisible();
    await expect(guest.locator("html")).toHaveAttribute("data-theme", theme);
    await guest.evaluate(axe.source);
    const rules = theme === "light" ? COLOURS : [];
    expect(await serious(guest, rules), theme).toEqual([]);
    await guest.evaluate(() => {
      const words = document.createElement("p");
      words.textContent = "grey on grey";
      words.style.color = "#777";
      words.style.background = "#888";
      document.querySelector("main")?.append(words, document.createElement("img"));
    });
    const found = (await serious(guest, rules)).map((one) => one.split(":")[0]);
    expect(found.sort()).toEqual(theme === "light" ? ["color-contrast"] : ["color-contrast", "image-alt"]);
  }
});

test("by keyboard alone: a chain is drafted, submitted, reviewed and applied", async ({ page }) => {
  await clear();
  await page.goto("/");
  await expect(page.getByTestId("heat-map")).toBeVisible();
  await page.keyboard.press("n");
  await expect(page).toHaveURL(/\/chains\/new$/);
  await expect(chainName(page)).toBeFocused();
  await page.keyboard.type("by-keyboard");
  await expect(page.getByRole("button", { name: /^simple-forward\b/ }), "the NF types have come").toBeVisible();
  await tabTo(page, /^simple-forward\b/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, /^Submit and plan$/, "Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await expect(page.getByRole("button", { name: "Apply 1 change" })).toBeVisible();
  await tabTo(page, /^Apply 1 change$/, "Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByText("COMPLETED").first()).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("by-key");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/chains\/by-keyboard$/);
});

/** In both themes, one after the other on the same page. */
async function looksRight(page: Page, route: string): Promise<void> {
  await page.goto(route);
  await expect(page.getByRole("main")).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  await page.evaluate(axe.source);
  for (const theme of ["dark", "light"] as const) {
    await inTheme(page, theme);
    expect(await serious(page, theme === "light" ? COLOURS : []), `${route}, ${theme}`).toEqual([]);
  }
}

/** Serious and critical findings as short texts, by `rules` only where some are named. The page has axe. */
async function serious(page: Page, rules: string[]): Promise<string[]> {
  const options = { resultTypes: ["violations" as const], ...(rules.length ? { runOnly: rules } : {}) };
  const violations = await page.evaluate(async (given) => {
    const { axe: own } = globalThis as unknown as { axe: typeof axe };
    const found = await own.run(given);
    return found.violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.map(({ target }) => target.join(" ")),
    }));
  }, options);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, where }) => `${id}: ${where.join(", ")}`);
}

/** Presses `key` until the focused element's accessible name matches. */
async function tabTo(page: Page, name: RegExp, key: "Tab" | "Shift+Tab"): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const focused = page.locator(":focus");
    const text = (await focused.count()) === 1 ? await focused.evaluate(nameOf) : "";
    if (name.test(text)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`no element named ${name} in 80 presses of ${key}`);
}

function nameOf(element: Element): string {
  return element.getAttribute("aria-label") ?? (element as HTMLElement).innerText ?? "";
}
