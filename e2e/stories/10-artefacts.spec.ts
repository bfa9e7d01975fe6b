/** Files from the browser to the runner: uploaded, named by a chain, on the host before the order, and deleted again. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { type Answer, call, clear, type Operation, operationIs } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, chainName, draftChain, expect, section, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { query } from "../support/runner.ts";

const DENY_ALL = '# nothing passes\n{"action": "deny"}\n';

interface Artefact {
  digest: string;
  name: string;
}

test.describe.configure({ timeout: 180_000 });

test.beforeEach(async () => {
  await clear();
  for (const { digest } of await stored()) {
    expect((await call("DELETE", `/artefacts/${digest}`, undefined, `"${digest}"`)).status).toBe(204);
  }
});

test("a rules file is uploaded in the designer, filters on the host, and goes when nobody names it", async ({
  page,
}) => {
  await draftChain(page, "guarded", ["firewall"]);
  const picker = page.getByRole("group", { name: "rules_file" });
  await picker.locator("input[type=file]").setInputFiles(file("deny.rules", DENY_ALL));
  await expect(picker.getByText(/^deny.rules is stored as version \d+.$/)).toBeVisible();
  await expect(picker.getByRole("button", { name: /deny.rules version \d+/ })).toBeVisible();
  const digest = digestOf(DENY_ALL);
  await expect(page.getByLabel("Configuration")).toHaveValue(new RegExp(digest));
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await applyShownPlan(page);
  await expect(page.getByRole("table", { name: "Steps" }).getByText("1 file sent before")).toBeVisible();

  expect(heldByHost()).toEqual([digest.slice("sha256:".length)]);
  expect(readFileSync(join(hostFolder(), digest.slice("sha256:".length)), "utf8")).toBe(DENY_ALL);
  await expect
    .poll(async () => (await query()).nfs.find(({ nf }) => nf === "guarded.firewall")?.filtered ?? 0)
    .toBeGreaterThan(100);
  expect((await query()).chains.find(({ chain }) => chain === "guarded")?.delivered).toBe(0);

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Artefacts" }).click();
  const row = artefactRow(page, "deny.rules");
  await expect(row.getByRole("link", { name: "guarded" })).toBeVisible();
  await expect(row.getByRole("button", { name: /^Delete/ })).toHaveAttribute("aria-disabled", "true");
  const download = page.waitForEvent("download");
  await row.getByRole("link", { name: /^Download/ }).click();
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("deny.rules");
  expect(readFileSync(await saved.path(), "utf8")).toBe(DENY_ALL);

  await clear();
  await page.reload();
  await row.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No artefacts yet.", { exact: false })).toBeVisible();
  expect(await stored()).toEqual([]);
});

test("files dropped on the page: stored, refused with the line, asked about, cancelled", async ({ page }) => {
  await page.goto("/artefacts");
  const zone = section(page, "Upload").locator(".drop-zone");
  await drop(page, zone, [
    file("edge.routes", "192.168.0.0/16 1\n"),
    file("bad.routes", "192.168.0.0/16 1\n\u0000\n"),
    file("notes.txt", "deny\n"),
  ]);
  const uploads = page.getByRole("list", { name: "Uploads" });
  await expect(uploads.getByText(/^edge.routes is stored as version \d+.$/)).toBeVisible();
  await expect(uploads.getByText(/^bad.routes is no file of kind routes: line 2: U\+0000 at column 1/)).toBeVisible();
  await uploads.getByRole("button", { name: /Kind/ }).click();
  await page.getByRole("option", { name: /^rules/ }).click();
  await uploads.getByRole("button", { name: "Upload" }).click();
  await expect(uploads.getByText(/^notes.txt is stored as version \d+.$/)).toBeVisible();
  await expect(page.getByRole("table", { name: "Artefacts" }).getByRole("row")).toHaveCount(3);

  await page.getByRole("searchbox").fill("notes");
  await expect(page).toHaveURL(/search=notes/);
  await expect(page.getByRole("table", { name: "Artefacts" }).getByRole("row")).toHaveCount(2);

  // The request never leaves the browser: what is cancelled is under way for certain.
  await page.route(/\/artefacts\?name=slow/, () => undefined);
  await drop(page, zone, [file("slow.rules", "deny\n".repeat(1000))]);
  await expect(page.getByRole("progressbar", { name: "Upload of slow.rules" })).toBeVisible();
  await uploads.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
  expect((await stored()).map(({ name }) => name).sort()).toEqual(["edge.routes", "notes.txt"]);
});

test("by keyboard alone: a stored file is chosen for a router", async ({ page }) => {
  const up = await sextant(["artefacts", "upload", file("edge.routes", "192.168.0.0/16 7\n")]);
  expect(up.status, up.stderr).toBe(0);
  await draftChain(page, "by-keys", ["router"]);
  await chainName(page).focus();
  const picker = page.getByRole("group", { name: "routes_file" }).getByRole("button", { name: /routes_file/ });
  for (
    let presses = 0;
    presses < 80 && !(await picker.evaluate((each) => each === document.activeElement));
    presses++
  ) {
    await page.keyboard.press("Shift+Tab");
  }
  await expect(picker).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Configuration")).toHaveValue(/"routes_file": "sha256:/);
});

test("a chain file names the file beside it: the command uploads it and says so", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sextant-e2e-chain-"));
  writeFileSync(join(folder, "deny.rules"), DENY_ALL);
  const nfs = [{ type: "firewall", name: "firewall", config: { rules_file: "./deny.rules" } }];
  const chain = {
    apiVersion: "sextant/v1",
    kind: "Chain",
    name: "beside",
    nfs,
    traffic: { rate_mpps: 0.02, packet_bytes: 128 },
  };
  writeFileSync(join(folder, "chain.json"), JSON.stringify(chain));
  const done = await sextant(["chains", "submit", join(folder, "chain.json"), "--apply", "--wait"]);
  rmSync(folder, { recursive: true });
  expect(done.status, done.stderr).toBe(0);
  const line = `uploaded deny\\.rules \\(${DENY_ALL.length} B\\): rules deny\\.rules version \\d+, ${digestOf(DENY_ALL)}`;
  expect(done.stderr).toMatch(new RegExp(line));
  expect(heldByHost()).toContain(digestOf(DENY_ALL).slice("sha256:".length));

  const refused = await sextant(["artefacts", "delete", "deny.rules"]);
  expect(refused.status).toBe(4);
  expect(refused.stderr).toMatch(/deny\.rules version \d+ is named by beside/);
});

test("a file that the runner cannot read: the operation says why, and the file can be mended", async () => {
  await sextant(["artefacts", "upload", file("odd.rules", '{"action": "deny"}\n{"action": "perhaps"}\n')]);
  const [odd] = await stored();
  const nfs = [{ type: "firewall", name: "firewall", config: { rules_file: odd?.digest } }];
  const answer = await call<{ plan_id: number }>("POST", "/chains", {
    name: "odd",
    nfs,
    traffic: { rate_mpps: 0.02, packet_bytes: 128 },
  });
  const operation = (await planned(answer.body.plan_id)).body;
  const failed = await operationIs(operation.id, "FAILED_TEMP");
  expect(JSON.stringify(failed)).toContain("rules_file");
  const asked = await call("POST", `/operations/${operation.id}/rollback`);
  expect(asked.status, JSON.stringify(asked.body)).toBe(202);
  await operationIs(operation.id, "ROLLED_BACK");
});

async function planned(planId: number): Promise<Answer<Operation>> {
  let plan: Answer<{ state: string; digest: string }> | undefined;
  await expect(async () => {
    plan = await call("GET", `/plans/${planId}`);
    expect(plan.body.state).toBe("proposed");
  }).toPass({ timeout: 60_000 });
  return call<Operation>("POST", `/plans/${planId}/apply`, undefined, `"${plan?.body.digest}"`);
}

async function stored(): Promise<Artefact[]> {
  return (await call<{ items: Artefact[] }>("GET", "/artefacts?limit=200")).body.items;
}

/** A file of the test run's own folder. */
function file(name: string, content: string): string {
  const path = join(test.info().outputPath(), name);
  writeFileSync(path, content);
  return path;
}

function digestOf(content: string): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

function hostFolder(): string {
  const { data, hostId } = installation();
  return join(data, "agent", hostId, "artefacts");
}

function heldByHost(): string[] {
  return readdirSync(hostFolder()).sort();
}

function artefactRow(page: Page, name: string): Locator {
  const cell = page.getByRole("cell", { name, exact: true });
  return page.getByRole("table", { name: "Artefacts" }).getByRole("row").filter({ has: cell });
}

/** Files dragged from the desktop, as the browser's own protocol tells of them. */
async function drop(page: Page, zone: Locator, files: string[]): Promise<void> {
  const box = await zone.boundingBox();
  if (box === null) throw new Error("there is nothing to drop files on");
  const browser = await page.context().newCDPSession(page);
  for (const type of ["dragEnter", "dragOver", "drop"] as const) {
    const data = { items: [], files, dragOperationsMask: 1 };
    await browser.send("Input.dispatchDragEvent", { type, x: box.x + 5, y: box.y + 5, data });
  }
  await browser.detach();
}
