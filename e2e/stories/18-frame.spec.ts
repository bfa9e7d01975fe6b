/** The frame of every page: nothing scrolls the window itself, the navigation stays in one line, no address loses it. */
import type { Page } from "@playwright/test";
import { chain, clear, submit } from "../support/api.ts";
import { expect, test } from "../support/console.ts";

/** Low, so that a short plan is longer than the window. */
const SIZES = [700, 1440, 1920].map((width) => ({ width, height: 600 }));

let plan: number;

test.beforeAll(async () => {
  await clear();
  plan = await submit(chain("framed", ["router", "firewall"]));
});

for (const size of SIZES) {
  test(`at ${size.width} pixels the window does not scroll and the navigation is one line`, async ({ page }) => {
    await page.setViewportSize(size);
    for (const address of ["/", "/hosts/edge-1", "/chains", "/chains/framed", `/plans/${plan}`, "/operations"]) {
      await page.goto(address);
      await expect(page.locator("main h1")).toBeVisible();
      await expect(page.locator("main .late")).toHaveCount(0);
      expect(await windowScroll(page), address).toEqual({ down: 0, across: 0 });
      expect(await navigationLines(page), address).toEqual(1);
    }
  });
}

test("an address that is none says so inside the frame, and leads back", async ({ page }) => {
  await page.goto("/nowhere/at-all");
  await expect(page.getByText("/nowhere/at-all")).toBeVisible();
  const navigation = page.getByRole("navigation", { name: "Main" });
  const [top, words] = [await navigation.boundingBox(), await page.getByText("/nowhere/at-all").boundingBox()];
  expect(top && words && top.y + top.height <= words.y).toBe(true);
  await navigation.getByRole("link", { name: "Chains" }).click();
  await expect(page).toHaveURL(/\/chains$/);
});

test("rows of the fleet's table are as high as it counts on, so that it scrolls to the row that is asked for", async ({
  page,
}) => {
  await page.goto("/?view=table");
  const rows = page.getByTestId("fleet-table").locator("tbody tr:not([aria-hidden])");
  await expect(rows.first()).toBeVisible();
  const heights = await rows.evaluateAll((all) =>
    all.map((row) => ({ real: row.getBoundingClientRect().height, counted: Number.parseFloat(row.style.height) })),
  );
  expect(heights.filter(({ real, counted }) => real !== counted)).toEqual([]);
});

test("the key ? opens the list of keys, which leads to the reference of the API", async ({ page }) => {
  await page.goto("/chains");
  await expect(page.locator("main h1")).toBeVisible();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys and references" });
  await expect(help.getByText("Utilisation")).toBeVisible();
  await help.getByRole("link", { name: "API reference" }).click();
  await expect(page.getByRole("heading", { name: "Sextant API" })).toBeVisible();
  await page.getByRole("link", { name: "Back to the console" }).click();
  await expect(page.getByTestId("heat-map")).toBeVisible();
});

/** How far the window itself can be scrolled; its regions scroll by themselves. */
function windowScroll(page: Page): Promise<{ down: number; across: number }> {
  return page.evaluate(() => {
    const { scrollHeight, scrollWidth } = document.documentElement;
    return { down: scrollHeight - innerHeight, across: scrollWidth - innerWidth };
  });
}

/** Lines that the links stand in, by where their words begin. */
function navigationLines(page: Page): Promise<number> {
  return page.getByRole("navigation", { name: "Main" }).evaluate((element) => {
    const tops = [...element.querySelectorAll("a")].flatMap((link) => {
      const words = document.createRange();
      words.selectNodeContents(link);
      return [...words.getClientRects()].map((box) => Math.round(box.top));
    });
    return new Set(tops).size;
  });
}
