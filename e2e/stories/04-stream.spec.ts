/** The data is live; when the stream is cut the page says so, and the data is complete again soon after. */
import { chain, clear, place } from "../support/api.ts";
import { chainRow, delivered, expect, test } from "../support/console.ts";
import { kill, pidOf } from "../support/processes.ts";
import { timed } from "../support/timed.ts";

test.beforeEach(clear);

test("a chain placed elsewhere appears by itself, and its figures move", async ({ page }) => {
  await page.goto("/chains");
  await expect(page.getByText("No chains yet.")).toBeVisible();
  await place(chain("elsewhere"));
  await expect.poll(() => delivered(page, "elsewhere")).toBeGreaterThan(0.01);
});

test("silence: a banner within 5 s; the return of the stream: whole within 3 s", async ({ page }) => {
  await page.goto("/chains");
  await expect(page.getByText("No chains yet.")).toBeVisible();
  const console = pidOf("console") as number;
  const banner = page.getByTestId("stale-banner");
  process.kill(console, "SIGSTOP");
  try {
    const { awakeMs } = await timed(() => banner.waitFor({ state: "visible" }));
    expect(awakeMs).toBeLessThan(5_500);
    await expect(banner).toContainText("No data for");
  } finally {
    process.kill(console, "SIGCONT");
  }
  const { awakeMs } = await timed(() => banner.waitFor({ state: "hidden" }));
  expect(awakeMs).toBeLessThan(3_500);
});

test("a console that died is back, and the page shows what happened meanwhile", async ({ page }) => {
  await page.goto("/chains");
  await expect(page.getByText("No chains yet.")).toBeVisible();
  const killed = pidOf("console") as number;
  await kill(killed);
  await expect.poll(() => pidOf("console"), { timeout: 60_000 }).toBeDefined();
  await expect(async () => place(chain("meanwhile"))).toPass({ timeout: 60_000, intervals: [500] });
  await expect(chainRow(page, "meanwhile")).toBeVisible();
  await expect(page.getByTestId("stale-banner")).toBeHidden();
});
