/** A signed-in browser page, and the console's pages in the words of an operator. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { installation, start, stop } from "./installation.ts";

/** `page` has a session; `guest` has none. */
const stories = base.extend<{ guest: Page }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants an object pattern
  baseURL: async ({}, use) => use(installation().url),
  context: async ({ context, baseURL }, use) => {
    const data = { username: "admin", password: installation().password };
    const answer = await context.request.post(`${baseURL}/api/v1/auth/login`, { data });
    expect(answer.status()).toBe(200);
    await use(context);
  },
  guest: async ({ browser, baseURL }, use) => {
    const context = await browser.newContext({ baseURL: baseURL as string });
    await use(await context.newPage());
    await context.close();
  },
});

/** Stories of an installation that `start` is told of. They share it: it starts with the first of them, and has ended
 * before another one starts; after a story that failed it is a new one. */
export function testOn(...fleet: Parameters<typeof start>) {
  return stories.extend<object, { fleet: undefined }>({
    fleet: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright wants an object pattern
      async ({}, use) => {
        const { data } = start(...fleet);
        try {
          if (fleet[0]) {
            // The first chains on simulated hosts come by themselves: what begins with `clear` takes away all of them.
            const submitted = join(data, "postgres", "demo-chains");
            await expect.poll(() => existsSync(submitted), { timeout: 120_000, intervals: [250] }).toBe(true);
          }
          await use(undefined);
        } finally {
          stop(data);
        }
      },
      { scope: "worker", auto: true, timeout: 300_000 },
    ],
  });
}

/** Of this machine alone. */
export const test = testOn();

/** Of two simulated hosts alone. Each begins with `clear`. */
export const testSimulated = testOn(2, "SEXTANT_DATAPLANE=0");

/** Of three hosts whose packets measure themselves, alone. Each begins with `clear`. */
export const testMeasured = testOn(0, "SEXTANT_DATAPLANE=0", "SEXTANT_LAB_HOSTS=3");

export { expect };

/** The page in that theme, by its own switch, which the next page of the session keeps to. Not by what the system prefers:
 * a page hears of that with a frame, and a headless browser may draw none of one that stands still. */
export async function inTheme(page: Page, theme: "dark" | "light"): Promise<void> {
  const root = page.locator("html");
  await expect(root).toHaveAttribute("data-theme", /^(dark|light)$/);
  if ((await root.getAttribute("data-theme")) !== theme) {
    await page.getByRole("button", { name: `Switch to ${theme}` }).dispatchEvent("click");
  }
  await expect(root).toHaveAttribute("data-theme", theme);
}

/** The number at the start of a cell; NaN for a dash. */
export async function figure(cell: Locator): Promise<number> {
  return Number.parseFloat((await cell.innerText()).trim());
}

/** A row of the fleet's table twin: Host/node/core, slot, NF, chain, utilisation, headroom, CPU, Mpps, drops, state. */
export function fleetRow(page: Page, chain: string, nf: string): Locator {
  return page
    .getByTestId("fleet-table")
    .getByRole("row")
    .filter({ has: page.getByRole("cell", { name: nf, exact: true }) })
    .filter({ has: page.getByRole("link", { name: chain, exact: true }) });
}

export function chainRow(page: Page, chain: string): Locator {
  return page
    .getByRole("table", { name: "Chains" })
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name: chain, exact: true }) });
}

/** What a chain delivers, in Mpps, as its row says: the first figure that is marked as measured. */
export function delivered(page: Page, chain: string): Promise<number> {
  const cells = chainRow(page, chain).getByRole("cell");
  return figure(cells.filter({ has: page.getByRole("img", { name: "measured" }) }).first());
}

/** The first region of that title; regions are the console's sections. */
export function section(page: Page, title: string): Locator {
  return page.getByRole("region", { name: title, exact: true });
}

/** The form's field for the chain's name; every NF has one of its own. */
export function chainName(page: Page): Locator {
  return section(page, "Intent").getByLabel("Name");
}

/** Fills the form's first fields: name, NFs in order, rate. */
export async function draftChain(page: Page, name: string, nfs: string[], rate = "0.1"): Promise<void> {
  await page.goto("/chains/new");
  await chainName(page).fill(name);
  for (const nf of nfs) {
    await section(page, "NF types")
      .getByRole("button", { name: new RegExp(`^${nf}\\b`) })
      .click();
  }
  await page.getByLabel("Rate").fill(rate);
}

/** Applies the plan on the screen and waits on the operation's page until it has ended well. */
export async function applyShownPlan(page: Page, timeout?: number): Promise<void> {
  await page.getByRole("button", { name: /^Apply (\d+ change|the same order)/ }).click();
  await expect(page).toHaveURL(/\/operations\/\d+$/);
  await expect(page.getByText("COMPLETED").first()).toBeVisible(timeout === undefined ? {} : { timeout });
}
