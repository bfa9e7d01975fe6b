/** OpenNetVM's files in the browser: a group file becomes a chain, and its plan is written as such a file again. */
import { readFileSync } from "node:fs";
import { clear } from "../support/api.ts";
import { expect, section, test } from "../support/console.ts";

test.beforeEach(clear);

/** One NF: two may share a core of a small machine, which a group file cannot say. */
const GROUP = { globals: [{ TTL: 10 }], basic_monitor: [{ parameters: "-l 5 -- -m -r 1 --" }] };

test("a chain of a group file is filled in, planned, and written as a group file again", async ({ page }) => {
  await page.goto("/chains/new");
  await page.getByRole("button", { name: "Import group file" }).click();
  const window = page.getByRole("dialog");
  const choosing = page.waitForEvent("filechooser");
  await window.getByRole("button", { name: "Choose files" }).click();
  const file = { name: "group.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(GROUP)) };
  await (await choosing).setFiles([file]);
  await expect(window.getByText("TTL: chains run until somebody deletes them")).toBeVisible();
  await window.getByRole("button", { name: "Fill the form with imported" }).click();
  await expect(section(page, "Chain")).toContainText("1 NF");

  await page.getByRole("button", { name: "Submit and plan" }).click();
  await page.getByRole("button", { name: "Start commands" }).click();
  await expect(window.getByRole("region", { name: "Script" })).toContainText("# 1: chain imported");
  await window.getByRole("radio", { name: "Group file" }).click();
  await expect(window.getByRole("region", { name: "Group file" })).toContainText('"imported.basic-monitor"');
  const saving = page.waitForEvent("download");
  await window.getByRole("link", { name: "Download" }).click();
  const saved = JSON.parse(readFileSync(await (await saving).path(), "utf8"));
  expect(saved.basic_monitor[0].parameters).toMatch(/^-l\d+ -- -m -r 1 -s -- -p 4294967295$/);
  expect(saved.globals).toEqual([{ directory: "sextant-logs" }, { sextant: { 1: "imported.basic-monitor" } }]);
});
