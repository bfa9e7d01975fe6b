/** A chain over two hosts whose packets measure themselves: submitted from a file, planned and ordered as one, seen hop by
 * hop on one page, and deleted whole. */
import type { Page } from "@playwright/test";
import { call, clear } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, section, testMeasured as test } from "../support/console.ts";
import { pidsWith } from "../support/processes.ts";

test.describe.configure({ mode: "serial" });
test.beforeAll(clear);
test.skip(process.getuid?.() !== 0, "namespaces and programs in the kernel need root");

const CHAIN = `apiVersion: sextant/v1
kind: Chain
name: web
path:
  - {nfs: [router, firewall], host: lab-1}
  - {nfs: [nids], host: lab-2}
traffic: {rate_mpps: 0.005, packet_bytes: 600, flows: 100}
`;
const HOPS = [
  ["web.router", "lab-1"],
  ["web.firewall", "lab-1"],
  ["web-part-2.nids", "lab-2"],
] as const;

interface Chains {
  items: {
    spec: { name: string; traffic: { rate_mpps: number } };
    state: string;
    sample: { offered_mpps: number; delivered_mpps: number } | null;
  }[];
}

const parts = async () => (await call<Chains>("GET", "/chains?part_of=web")).body.items;
const hops = (page: Page) => page.getByRole("table", { name: "Path of web" }).getByRole("row");
const picture = (page: Page) => page.getByRole("list", { name: "Hosts that packets pass, in order" });

test("a chain file leads a chain over two hosts", async () => {
  const done = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, CHAIN);
  expect(done.status, done.stderr).toBe(0);
  await expect(async () => {
    const both = await parts();
    expect(both.map(({ spec, state }) => [spec.name, state])).toEqual([
      ["web", "running"],
      ["web-part-2", "running"],
    ]);
    for (const { sample } of both) expect(sample?.delivered_mpps ?? 0).toBeGreaterThan(0);
  }).toPass({ timeout: 30_000 });
});

test("its page has both hosts, what goes between them, and every hop's time as it moves", async ({ page }) => {
  await page.goto("/chains/web");
  await expect(section(page, "Path")).toBeVisible();
  for (const name of ["lab-1", "lab-2"]) await expect(picture(page).getByText(name, { exact: true })).toBeVisible();
  await expect(hops(page)).toHaveCount(4);
  const medians = async () => {
    const found: string[] = [];
    for (const [at, [nf, host]] of HOPS.entries()) {
      const row = hops(page).nth(at + 1);
      await expect(row).toContainText(nf);
      await expect(row).toContainText(host);
      await expect(row.getByRole("cell").nth(3)).toHaveText(/ (µs|ms)$/);
      found.push(await row.getByRole("cell").nth(3).innerText());
    }
    return found;
  };
  const before = await medians();
  await expect(async () => {
    for (const [at, now] of (await medians()).entries()) expect(now).not.toBe(before[at]);
  }).toPass({ timeout: 30_000 });
  // Both hosts have this machine's clock: the link's time is never "clocks apart".
  const link = /^[\d.]+ (µs|ms) \(p95 [\d.]+ (µs|ms)\)$/;
  await expect(hops(page).nth(3).getByRole("cell").last()).toHaveText(link);
  await expect(section(page, "Path")).toContainText(/from the source to the sink they take [\d.]+ (µs|ms)/);
  const shown = await sextant(["chains", "show", "web"]);
  expect(shown.stdout).toMatch(/whole way\s+0\.00\d+\s+0\.00\d+/);
  for (const [nf, host] of HOPS) expect(shown.stdout).toMatch(new RegExp(`${nf}\\s+${host}\\s+[\\d.]+ (us|ms)`));
  expect(shown.stdout).toMatch(/web-part-2\.nids +[\d.]+ (us|ms) +[\d.]+ (us|ms)/);
});

test("packets that leave are captured, with what NFs of both hosts wrote into them", async ({ page }) => {
  await page.goto("/chains/web");
  const packets = section(page, "Packets");
  await packets.getByRole("button", { name: "Capture 20 packets" }).click();
  const rows = packets.getByRole("table", { name: "Captured packets of web-part-2" }).getByRole("row");
  await expect(rows).toHaveCount(21);
  for (const [nf] of HOPS) await expect(rows.first()).toContainText(nf);
  await rows.nth(1).getByRole("button", { name: "Packet 1" }).click();
  await expect(packets).toContainText(/device 1, had it for [\d.]+ (µs|ms).*, its packet number \d+/);
  const told = await sextant(["chains", "capture", "web", "--packets", "3", "--headers"]);
  expect(told.status, told.stderr).toBe(0);
  expect(told.stdout.trim().split("\n")).toHaveLength(4);
});

test("a moment of the past has every hop as its packets measured it then", async ({ page }) => {
  let at = "";
  await expect(async () => {
    at = new Date(Date.now() - 15_000).toISOString();
    for (const chain of ["web", "web-part-2"]) {
      const past = await call<{ hops: { p95_us: number | null }[] }>(
        "GET",
        `/history/fleet?at=${encodeURIComponent(at)}&chain=${chain}`,
      );
      expect(past.body.hops.map(({ p95_us }) => p95_us ?? 0)).toHaveLength(chain === "web" ? 2 : 1);
    }
  }).toPass({ timeout: 60_000, intervals: [2000] });
  await page.goto(`/chains/web?at=${encodeURIComponent(at)}`);
  const rows = page.getByRole("table", { name: "Path of web then" }).getByRole("row");
  await expect(rows).toHaveCount(4);
  for (const [place, [nf, host]] of HOPS.entries()) {
    await expect(rows.nth(place + 1)).toContainText(nf);
    await expect(rows.nth(place + 1)).toContainText(host);
    await expect(
      rows
        .nth(place + 1)
        .getByRole("cell")
        .nth(3),
    ).toHaveText(/ (µs|ms)$/);
  }
  const told = await sextant(["history", "fleet", at, "--chain", "web"]);
  expect(told.stdout).toMatch(/web\.router\s+lab-1\s+[\d.]+ (us|ms)/);
});

test("what enters faster leaves faster on the other host, and all parts bear it", async () => {
  const done = await sextant(["chains", "adjust", "web", "--rate-mpps", "0.008", "--wait"]);
  expect(done.status, done.stderr).toBe(0);
  expect((await parts()).map(({ spec }) => spec.traffic.rate_mpps)).toEqual([0.008, 0.008]);
  await expect(async () => {
    const last = (await parts()).at(-1);
    expect(last?.sample?.delivered_mpps ?? 0).toBeGreaterThan(0.007);
  }).toPass({ timeout: 30_000 });
});

test("a part is neither deleted nor given other traffic alone, and says of what it is one", async ({ page }) => {
  const alone = await sextant(["chains", "delete", "web-part-2"]);
  expect(alone.status).not.toBe(0);
  expect(alone.stderr).toContain("sextant chains delete web");
  const faster = await sextant(["chains", "adjust", "web-part-2", "--rate-mpps", "0.01"]);
  expect(faster.status).not.toBe(0);
  expect(faster.stderr).toContain("sextant chains adjust web");
  await page.goto("/chains/web-part-2");
  await expect(page.getByRole("button", { name: "Delete chain" })).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByRole("link", { name: "The whole chain, web" })).toBeVisible();
});

test("deleted, it leaves nothing on either host", async ({ page }) => {
  await page.goto("/chains/web");
  await page.getByRole("button", { name: "Delete chain" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("Stops 3 NFs on 2 hosts");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete web" }).click();
  await expect(page).toHaveURL(/\/operations\/\d+$/);
  await expect.poll(parts, { timeout: 60_000 }).toEqual([]);
  expect(pidsWith("sextant-srv6-nf", "--type")).toEqual([]);
  expect(pidsWith("sextant-srv6-source")).toEqual([]);
  expect(pidsWith("sextant-srv6-sink")).toEqual([]);
});

test("one command shows what such hosts can do, and another takes it away", async () => {
  const shown = await sextant(["demo", "--srv6"]);
  expect(shown.status, shown.stderr).toBe(0);
  expect(shown.stdout).toContain("sextant chains adjust demo-lanes --wait --rate-mpps 0.002");
  const running = async () =>
    (await call<Chains>("GET", "/chains")).body.items
      .filter(({ spec, sample }) => spec.name.startsWith("demo-") && (sample?.delivered_mpps ?? 0) > 0)
      .map(({ spec }) => spec.name);
  await expect.poll(running, { timeout: 30_000 }).toEqual(["demo-lanes", "demo-path", "demo-path-part-2"]);
  const removed = await sextant(["demo", "--remove"]);
  expect(removed.status, removed.stderr).toBe(0);
  expect(pidsWith("sextant-srv6-nf", "--type")).toEqual([]);
});
