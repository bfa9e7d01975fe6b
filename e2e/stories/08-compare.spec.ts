/** Algorithms side by side: on this fleet, and on a file of another one; and how a plan is asked for and cancelled. */
import { call, chain, clear, place, submit } from "../support/api.ts";
import { expect, section, test } from "../support/console.ts";
import { pidOf } from "../support/processes.ts";
import { comparedOn, compareOn, type Snapshot, studyFile, TWELVE_HOSTS, twelveHosts } from "../support/study.ts";

test.beforeEach(clear);

const PLAN = /\/plans\/\d+$/;

function asFile(snapshot: Snapshot): { name: string; mimeType: string; buffer: Buffer } {
  return { name: "twins.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(snapshot)) };
}

test("on this fleet: from the list of plans to three plans on one snapshot", async ({ page }) => {
  await place(chain("here", ["router", "firewall"]));
  await page.goto("/plans");
  await page.getByRole("link", { name: "Compare algorithms" }).click();
  await expect(page.getByText("1 host, 1 chain.")).toBeVisible();
  await page.getByRole("button", { name: "Compare 3 algorithms" }).click();
  await expect(page).toHaveURL(/\/comparisons\/\d+$/);
  const table = page.getByRole("table", { name: "Algorithms side by side" });
  await expect(table.getByRole("columnheader")).toHaveText([/Figure/, /^exact/, /^octans/, /^node_first/]);
  await expect(page.getByRole("button", { name: /^Cancel/ })).toBeHidden();
  await table
    .getByRole("link", { name: /^plan / })
    .first()
    .click();
  await expect(page).toHaveURL(PLAN);
  await expect(page.getByRole("link", { name: /^comparison / })).toBeVisible();
});

test("on a file: the optimum is proved and marked best, the plan is a study, and shows interference", async ({
  page,
}) => {
  const two = await studyFile();
  const file = { ...two, hosts: two.hosts.slice(0, 1) }; // of several hosts the choice among them is not proved
  await page.goto("/plans/compare");
  await page.getByRole("radio", { name: "A file", exact: true }).click();
  await page.locator("input[type=file]").setInputFiles(asFile(file));
  await expect(page.getByText(/twins\.json, .* 1 host, 4 chains, 9 NFs/)).toBeVisible();
  await page.getByRole("button", { name: "Compare 3 algorithms" }).click();
  const table = page.getByRole("table", { name: "Algorithms side by side" });
  const status = table.getByRole("row", { name: /^Status/ }).getByRole("cell");
  await expect(status.first()).toHaveText("best under untested models", { timeout: 60_000 });
  await expect(table.getByRole("columnheader", { name: "exact best" })).toBeVisible();
  await expect(page.getByText("its plans cannot be applied.")).toBeVisible();

  await table
    .getByRole("link", { name: /^plan / })
    .first()
    .click();
  await expect(page.getByText("Study on a snapshot file: cannot be applied.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Apply/ })).toHaveAttribute("aria-disabled", "true");
  await expect(section(page, "Evidence").getByText("best under untested models")).toBeVisible();
  const matrix = page.getByRole("grid", { name: /^Interference on twin-/ }).first();
  await matrix.getByRole("rowheader").nth(0).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(
    section(page, "Interference")
      .getByText(/loses .* Mpps/)
      .first(),
  ).toBeVisible();
  await page.getByRole("radio", { name: "Before" }).click();
  await expect(section(page, "Interference").getByText("No NF runs on this host.")).toBeVisible();
});

test("twelve hosts: the search gains over an even spread, and what does not fit says what would help", async ({
  page,
}) => {
  test.setTimeout(180_000);
  await page.goto("/plans/compare");
  await page.getByRole("radio", { name: "A file", exact: true }).click();
  await page.locator("input[type=file]").setInputFiles(TWELVE_HOSTS);
  await expect(page.getByText(/twelve-hosts\.json, 59 kB: 12 hosts, 40 chains, /)).toBeVisible();
  for (const algorithm of ["octans", "node_first", "anytime", "node_balance"]) {
    await page.getByRole("checkbox", { name: new RegExp(`^${algorithm} `) }).press(" ");
  }
  await page.getByRole("button", { name: "Compare 3 algorithms" }).click();
  const table = page.getByRole("table", { name: "Algorithms side by side" });
  const score = table.getByRole("row", { name: /score, value/ }).getByRole("cell");
  await expect(score).toHaveText([/^\d/, /^\d/, /^\d/], { timeout: 120_000 });
  const [exact, , balance] = (await score.allInnerTexts()).map(Number);
  expect(exact).toBeGreaterThan(balance as number);
  await table
    .getByRole("link", { name: /^plan / })
    .first()
    .click();
  const evidence = section(page, "Evidence");
  await expect(evidence.getByText("every host best under untested models, choice of hosts not proved")).toBeVisible();
  await expect(evidence.getByText("score to bound with these chains on these hosts")).toBeVisible();
  for (const help of [/bring r1-12 back/, /remove chain-.* from r1-01/, /^shorten it to \d+ NFs/]) {
    await expect(section(page, "Does not fit").getByText(help).first()).toBeVisible();
  }
  await expect(section(page, "Interference").getByRole("grid").first()).toBeVisible();
  const id = /\d+$/.exec(page.url())?.[0];
  await page.goto("/");
  await expect(page.getByText(/^live · /)).toBeVisible();
  await expect(section(page, "Needs attention").getByText(`Plan ${id}`, { exact: true })).toHaveCount(0);
});

test("what fewer moves would give: the frontier says it, and is walked by keyboard", async ({ page }) => {
  const study = await comparedOn(await compareOn(twelveHosts(), ["exact"]));
  await page.goto(`/plans/${study.plans[0]?.plan_id}`);
  const slider = page.getByRole("slider", { name: "Moves" });
  await slider.focus();
  await page.keyboard.press("Home");
  await expect(slider).toHaveAttribute("aria-valuetext", /^0 moves: 0 value × Mpps/);
  await page.keyboard.press("End");
  await expect(slider).toHaveAttribute("aria-valuetext", /^[1-9]\d* moves?: \+/);
});

test("a file that is none, or is not consistent, is reported beside it and stores nothing", async ({ page }) => {
  const comparisons = async () =>
    (await call<{ items: { id: number }[] }>("GET", "/comparisons?limit=1")).body.items[0]?.id;
  const before = await comparisons();
  await page.goto("/plans/compare");
  await page.getByRole("radio", { name: "A file", exact: true }).click();
  const input = page.locator("input[type=file]");
  await input.setInputFiles({ name: "page.json", mimeType: "application/json", buffer: Buffer.from("<html>") });
  await expect(page.getByText(/page\.json is not JSON/)).toBeVisible();
  const file = await studyFile();
  await input.setInputFiles(asFile({ ...file, hosts: [...file.hosts, ...file.hosts.slice(0, 1)] }));
  await page.getByRole("button", { name: "Compare 3 algorithms" }).click();
  await expect(section(page, "Snapshot").getByText("snapshot.hosts.2")).toBeVisible();
  expect(await comparisons()).toBe(before);
});

test("a plan is asked for with an algorithm, a limit and most moves", async ({ page }) => {
  await place(chain("settled", ["router"]));
  await page.goto("/");
  await page.getByRole("button", { name: "Options: Re-place the fleet" }).click();
  const options = page.getByRole("dialog", { name: "Options: Re-place the fleet" });
  await options.getByRole("button", { name: /Algorithm/ }).click();
  await page.getByRole("option", { name: /^node_balance/ }).click();
  await options.getByLabel("Time limit").fill("601");
  await expect(options.getByText("0 to 600")).toBeVisible();
  await options.getByLabel("Time limit").fill("2");
  await options.getByLabel("Most moves").fill("1");
  await options.getByRole("button", { name: "Plan", exact: true }).click();
  await expect(page).toHaveURL(PLAN);
  const id = /\d+$/.exec(page.url())?.[0];
  const { body } = await call<{ solving: object }>("GET", `/plans/${id}`);
  expect(body.solving).toMatchObject({ algorithm: "node_balance", time_limit_s: 2, max_moves: 1 });
});

test("a plan that is being made can be cancelled, and no worker makes it after that", async ({ page }) => {
  await submit(chain("patient"));
  const planner = pidOf("planner") as number;
  process.kill(planner, "SIGSTOP");
  try {
    await page.goto("/plans/compare");
    await page.getByRole("button", { name: "Compare 3 algorithms" }).click();
    // The page before it lists plans, too, and stays until that of the comparison is there.
    await section(page, "Side by side")
      .getByRole("link", { name: /^plan / })
      .first()
      .click();
    await expect(section(page, "Planning").getByText("waits for a worker")).toBeVisible();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByText("Cancelled before it was finished")).toBeVisible();
  } finally {
    process.kill(planner, "SIGCONT");
  }
  await page.goBack();
  const states = page.getByRole("row", { name: /^Status/ }).getByRole("cell");
  await expect(states).toHaveText([/rejected/, /^(?!.*waits)/, /^(?!.*waits)/], { timeout: 60_000 });
});
