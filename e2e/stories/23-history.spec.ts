/** Yesterday's incident is replayed: on the scrubber of the fleet, beside another moment, and on the chain's page. */
import { apply, call, chain, clear, operationIs, submit } from "../support/api.ts";
import { expect, section, test } from "../support/console.ts";
import { seedYesterday } from "../support/history.ts";

const NAME = "yesterday";
let began: Date;

test.describe.configure({ mode: "serial" });

test.beforeAll(async () => {
  test.setTimeout(120_000);
  await clear();
  const started = await apply(await submit(chain(NAME, ["router", "firewall"])));
  await operationIs(started.body.id, "COMPLETED");
  await expect(async () => {
    const { chains } = (await call<{ chains: { chain: string }[] }>("GET", `/history/fleet?at=${now()}`)).body;
    expect(chains.map((one) => one.chain)).toContain(NAME);
  }).toPass({ timeout: 60_000 });
  began = seedYesterday(NAME);
});

const now = () => encodeURIComponent(new Date().toISOString());
const at = (minutes: number) => new Date(began.getTime() + minutes * 60_000).toISOString();

test("the fleet is shown as it was, moment by moment, and nothing live gets in", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "History" }).click();
  await expect(page.getByTestId("past")).toContainText("You look at");

  await page.goto(`/?at=${at(-1)}&span=1h`);
  const then = section(page, "Chains then");
  await expect(then).toContainText("0 chains missed objectives");
  await page.getByRole("button", { name: "Compare from here" }).click();

  // Six steps of ten seconds, by the keyboard alone: the incident begins.
  const bar = page.getByRole("slider", { name: "Moment" });
  await bar.focus();
  for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(new RegExp(`at=${began.toISOString().slice(0, 16).replaceAll(":", "(:|%3A)")}`));
  await expect(then).toContainText("1 chain missed objectives");
  await expect(then).toContainText("objectives met in 0 of");
  const compared = section(page, "Two moments");
  await expect(compared).toContainText(NAME);
  await expect(compared).toContainText("objectives missed now");

  // It plays on by itself.
  await page.getByRole("button", { name: "Play" }).click();
  await expect(bar).toHaveAttribute("aria-valuetext", /:20$/);
  await page.getByRole("button", { name: "Pause" }).click();

  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page.getByTestId("past")).toHaveCount(0);
  await expect(section(page, "Violated chains")).toBeVisible();
});

test("the chain's page shows the hour, and how much of it met its objectives", async ({ page }) => {
  await page.goto(`/chains/${NAME}?from=${at(-30)}&to=${at(30)}`);
  const history = section(page, "History");
  await expect(history.getByRole("img", { name: `throughput of ${NAME}` })).toBeVisible();
  await expect(history).toContainText("mean, least and most of every 10 s");
  const csv = page.waitForEvent("download");
  await history.getByRole("link", { name: "CSV" }).click();
  expect((await csv).suggestedFilename()).toBe(`chain-${NAME}.csv`);
  await history.getByRole("radio", { name: "24 h" }).click();
  await expect(page).toHaveURL(/range=24h/);
});
