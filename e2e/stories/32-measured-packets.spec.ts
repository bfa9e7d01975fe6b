/** Hosts whose packets measure themselves, in namespaces of this machine: a chain's page says how long each NF had them;
 * an NF that stands still is known by what it owes; packets go on without agent and daemon. */
import type { Page } from "@playwright/test";
import { call, clear } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, section, testMeasured as test } from "../support/console.ts";
import { pidsWith } from "../support/processes.ts";

test.describe.configure({ mode: "serial" });
test.beforeAll(clear);
test.skip(process.getuid?.() !== 0, "namespaces and programs in the kernel need root");

const HOST = "lab-1";
const CHAIN = `apiVersion: sextant/v1
kind: Chain
name: web
nfs: [router, firewall, nids]
ingress: {host: ${HOST}}
traffic: {rate_mpps: 0.005, packet_bytes: 600, flows: 100}
`;
/** Far more than an NF that runs takes for a packet on a busy machine. */
const STANDS_STILL_MS = 500;

interface Sample {
  sample: { delivered_mpps: number; path?: { nf_id: string; waits_us?: number }[] } | null;
}

const path = (page: Page) => page.getByRole("table", { name: "Path of web" });

async function delivered(): Promise<number> {
  return (await call<Sample>("GET", "/chains/web")).body.sample?.delivered_mpps ?? 0;
}

test("a chain's page says how long each NF had its packets, as these measured it", async ({ page }) => {
  const done = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, CHAIN);
  expect(done.status, done.stderr).toBe(0);
  await page.goto("/chains/web");
  await expect(section(page, "Path")).toBeVisible();
  const rows = path(page).getByRole("row");
  await expect(rows).toHaveCount(4);
  for (const [at, nf] of ["web.router", "web.firewall", "web.nids"].entries()) {
    const row = rows.nth(at + 1);
    await expect(row).toContainText(nf);
    await expect(row).toContainText(HOST);
    await expect(row.getByRole("cell").nth(4)).toHaveText(/ (µs|ms)$/);
  }
  await expect(path(page).getByText("slowest", { exact: true })).toHaveCount(1);
  const shown = await sextant(["chains", "show", "web"]);
  expect(shown.stdout).toMatch(/web\.nids\s+lab-1\s+[\d.]+ (us|ms)/);
  expect(shown.stdout).toContain("slowest");
});

test("an NF that stands still is known by what it has not given back", async ({ page }) => {
  await page.goto("/chains/web");
  const [nids, ...others] = pidsWith("sextant-srv6-nf", "nids");
  expect(others).toEqual([]);
  process.kill(nids ?? 0, "SIGSTOP");
  try {
    await expect(async () => {
      const { sample } = (await call<Sample>("GET", "/chains/web")).body;
      expect(sample?.path?.at(-1)?.waits_us ?? 0).toBeGreaterThan(1000 * STANDS_STILL_MS);
    }).toPass({ timeout: 30_000 });
    await expect(path(page).getByRole("row").last().getByRole("cell").nth(6)).toHaveText(/ ms$/);
    await expect(path(page).getByRole("row").last()).toContainText("no packet");
  } finally {
    process.kill(nids ?? 0, "SIGCONT");
  }
  await expect(path(page).getByRole("row").last()).not.toContainText("no packet");
});

test("packets go on while daemon and agent are killed, and the page is live again by itself", async ({ page }) => {
  await page.goto("/chains/web");
  const before = pidsWith("sextant-srv6-nf", "--type").sort();
  for (const pid of [...pidsWith("sextant-srv6", HOST), ...pidsWith("sextant_agent", "serve")]) {
    process.kill(pid, "SIGKILL");
  }
  await expect(async () => expect(await delivered()).toBeGreaterThan(0.004)).toPass({ timeout: 60_000 });
  expect(pidsWith("sextant-srv6-nf", "--type").sort()).toEqual(before);
  await expect(path(page).getByRole("row").last().getByRole("cell").nth(4)).toHaveText(/ (µs|ms)$/);
  await expect(async () => {
    const again = await sextant(["chains", "adjust", "web", "--rate-mpps", "0.004", "--wait"]);
    expect(again.status, again.stderr).toBe(0);
  }).toPass({ timeout: 60_000 });
});

test("deleted, nothing of it runs", async () => {
  const done = await sextant(["chains", "delete", "web", "--wait"]);
  expect(done.status, done.stderr).toBe(0);
  expect(pidsWith("sextant-srv6-nf", "--type")).toEqual([]);
});
