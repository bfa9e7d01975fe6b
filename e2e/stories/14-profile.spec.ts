/** An NF nobody has seen: registered, measured on real packets, its model promoted, a chain of it planned, applied, and
 * what came of the prediction counted. */
import { apply, call, clear, operationIs, planIs, submit } from "../support/api.ts";
import { expect, figure, section, test } from "../support/console.ts";

interface Trust {
  predictor: string;
  informative: number;
  error_percent: number | null;
}

const TYPE = "edge-firewall";
const CHAIN = "edge-guard";
/** More than a core can filter, so that what it carries says something about the prediction. */
const OFFERED_MPPS = 30;

test.describe.configure({ mode: "serial" });
test.beforeAll(clear);
test.afterAll(async () => {
  await clear();
  const { etag } = await call("GET", `/nf-types/${TYPE}`);
  const answer = await call("DELETE", `/nf-types/${TYPE}`, undefined, etag ?? undefined);
  expect([204, 404]).toContain(answer.status);
});

test("a firewall with 5000 rules is registered", async ({ page }) => {
  await page.goto("/nf-types");
  await page.getByRole("link", { name: "Register NF type" }).first().click();
  await expect(page).toHaveURL(/\/register-nf-type/);
  await page.goto("/register-nf-type?runs=firewall");
  await page.getByLabel("Name", { exact: true }).fill(TYPE);
  await page.getByRole("textbox", { name: "Configuration" }).fill('{"synthetic_rules": "many"}');
  await page.getByRole("button", { name: "Register" }).click();
  await expect(page.getByText(/synthetic_rules: 'many' is not of type 'integer'/)).toBeVisible();
  await page.getByRole("textbox", { name: "Configuration" }).fill('{"synthetic_rules": 5000}');
  await page.getByRole("button", { name: "Register" }).click();
  await expect(page).toHaveURL(new RegExp(`/nf-types/${TYPE}$`));
  await expect(page.getByText("version 1", { exact: true })).toBeVisible();
});

test("it is measured on real packets, and a model is fitted", async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto(`/nf-types/${TYPE}`);
  await section(page, "Profiling").getByRole("button", { name: "Profile" }).click();
  const form = page.getByRole("form", { name: "Profile an NF type" });
  await form.getByText(/^More:/).click();
  await form.getByLabel("Most at the same time").fill("0");
  await form.getByLabel("Sample", { exact: true }).fill("0.3");
  await form.getByLabel("Most samples").fill("5");
  await form.getByLabel("Interval").fill("5");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Measure \d+ points?$/ })
    .click();
  await expect(page).toHaveURL(/\/profiling\/\d+$/);

  const points = page.getByRole("table", { name: /points/i }).first();
  await expect(points.getByRole("row").filter({ hasText: TYPE }).getByText("measured", { exact: true })).toBeVisible({
    timeout: 180_000,
  });
  await expect(page.getByText("COMPLETED").first()).toBeVisible({ timeout: 180_000 });
  await expect(section(page, "Model").getByText("candidate")).toBeVisible({ timeout: 60_000 });
});

test("its model is promoted", async ({ page }) => {
  await page.goto(`/nf-types/${TYPE}`);
  await page
    .getByRole("button", { name: /^Promote/ })
    .first()
    .click();
  const question = page.getByRole("alertdialog");
  await question.getByText("The whole fit", { exact: true }).click();
  await question.getByRole("button", { name: "Promote the whole fit" }).click();
  await expect(question).toBeHidden();
  await expect(section(page, "Versions of its model").getByText(/^promoted by admin/)).toBeVisible();
});

test("a chain of it is planned with the prediction, applied, measured, and the trust meter moves", async ({ page }) => {
  test.setTimeout(180_000);
  const spec = {
    name: CHAIN,
    nfs: [TYPE],
    traffic: { rate_mpps: OFFERED_MPPS, packet_bytes: 64, flows: 100_000 },
  };
  const id = await submit(spec);
  await page.goto(`/plans/${id}`);
  await expect(page.getByText(/predicted by time sharing/).first()).toBeVisible();
  await expect(page.getByText(/fit-\d+/).first()).toBeAttached();
  await planIs(id, "proposed");
  const answer = await apply(id);
  await operationIs(answer.body.id, "COMPLETED");

  await expect(async () => {
    const found = (await call<Trust[]>("GET", `/trust?nf_type=${TYPE}`)).body;
    expect(found.find(({ predictor }) => predictor === "time-sharing")?.informative).toBe(1);
  }).toPass({ timeout: 120_000, intervals: [1000] });

  await page.goto(`/nf-types/${TYPE}`);
  const row = section(page, "Outcomes").getByRole("row").filter({ hasText: CHAIN });
  // Its own cell: where an NF was measured to limit the chain, the row holds that mark twice.
  await expect(row.getByRole("cell").nth(3).getByRole("img", { name: "measured" })).toBeVisible();
  expect(await figure(row.getByRole("cell").nth(2))).toBeGreaterThan(0.1);
  expect(await figure(row.getByRole("cell").nth(3))).toBeGreaterThan(0.1);
  await page.goto(`/chains/${CHAIN}`);
  await expect(
    section(page, "Predicted and measured")
      .getByText(/time sharing/)
      .first(),
  ).toBeVisible();
});
