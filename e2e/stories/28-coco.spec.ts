/** CoCo's law on a simulated host: NFs share two cores, one core is overloaded, its neighbour is pushed aside, first by an
 * operator's word, then by itself; and where one needs more than a core, a lane starts. */
import type { Page } from "@playwright/test";
import { call, clear, place } from "../support/api.ts";
import { cocoHost, coreOf, lately, rateThatUses, shareTwoCores, stand } from "../support/coco.ts";
import { sextant } from "../support/command.ts";
import { expect, section, testSimulated as test } from "../support/console.ts";
import { offer } from "../support/numasfp.ts";

const HOST = "demo-1";
/** In the order in which packets pass: one that takes most of its core, its neighbour, and one that takes little, beside
 * which the neighbour has room. */
const NFS = [
  { type: "dpi", name: "a" },
  { type: "basic-monitor", name: "b" },
  { type: "simple-forward", name: "c" },
];
/** 64 bytes: the line carries 14.88 Mpps, more than these cores. */
const LITTLE = { rate_mpps: 1, packet_bytes: 64, flows: 1000 };
/** Of the core of a and b: more than it can give, of which a alone has less than a core. */
const TOO_MUCH = 1.05;
/** Of these a alone needs more than a core where both together need so much of one, and half of that leaves room. */
const HEAVY = [
  { type: "nids", name: "a" },
  { type: "simple-forward", name: "b" },
];
const BEYOND_A_CORE = 1.6;
const SOON = { timeout: 120_000, intervals: [250] };
const ADDRESS = `/automation?tab=coco&host=${HOST}`;

test.describe.configure({ mode: "serial" });

let cores: [first: number, second: number];
let reserved: number[];
let much: number;
test.beforeAll(clear);

function card(page: Page) {
  return page.getByRole("region", { name: "Recommendation", exact: true });
}

/** All that it is offered, and its host says that no core lacks time. */
async function carriesInFull(): Promise<void> {
  await expect(async () => {
    for (const [, offered, delivered] of await lately("web")) {
      expect(offered).toBeGreaterThan(0.95 * much);
      expect(delivered).toBeGreaterThan(0.99 * offered);
    }
    expect((await cocoHost(HOST)).reason).toBe("no core needs more time than it has");
  }).toPass(SOON);
}

/** NFs use more than that share of the core: what they need rises in the second before, with what they are offered. */
async function usedOf(core: number, share: number): Promise<void> {
  await expect(async () => {
    const elements = (await cocoHost(HOST)).cores.find((one) => one.core === core)?.elements ?? [];
    expect(elements.reduce((sum, { use }) => sum + (use ?? 0), 0)).toBeGreaterThan(share);
  }).toPass(SOON);
}

test("NFs share two cores, and the tab lists their host", async ({ page }) => {
  test.setTimeout(300_000);
  const demo = await sextant(["demo", "--hosts", "1"]);
  expect(demo.status, demo.stderr).toBe(0);
  await expect(async () => {
    expect((await call<{ status: string }>("GET", `/hosts/${HOST}`)).body.status).toBe("up");
  }).toPass({ timeout: 60_000 });
  await page.goto("/automation?tab=coco");
  await expect(page.getByText(/there is nobody to push aside/)).toBeVisible();

  ({ cores, reserved } = await shareTwoCores(HOST, 3));
  await place({ name: "web", nfs: NFS, ingress: { host: HOST }, traffic: LITTLE });
  for (const nf of ["web.a", "web.b"]) await stand(nf, cores[0], HOST);
  await stand("web.c", cores[1], HOST);
  // What a packet costs on a busy core is measured on one that is busy, but loses nothing.
  const some = await rateThatUses(HOST, cores[0], 0.6, LITTLE.rate_mpps);
  await offer("web", some);
  await usedOf(cores[0], 0.5);
  much = await rateThatUses(HOST, cores[0], TOO_MUCH, some);
  const rows = page.getByRole("table", { name: "Hosts in CoCo’s law" });
  await rows.getByRole("link", { name: HOST }).click();
  const picture = page.getByRole("list", { name: `Cores of ${HOST}` });
  await expect(picture.getByText("web.a", { exact: true })).toBeVisible();
  await expect(page.getByText("no core needs more time than it has").first()).toBeVisible();
});

test("its rate rises: the push is recommended with what it frees, accepted, and the throughput recovers", async ({
  page,
}) => {
  test.setTimeout(300_000);
  await offer("web", much);
  await page.goto(ADDRESS);
  await expect(card(page)).toContainText(/Push web\.[ab] aside to core \d+: \+[\d.]+ Gbps/, { timeout: SOON.timeout });
  await expect(card(page)).toContainText(/lacks [\d.]+ % of its time; the push frees [\d.]+ %/);
  await card(page).getByRole("button", { name: "Why" }).click();
  await expect(card(page)).toContainText("has grown");
  const listed = await sextant(["recommendations"]);
  expect(listed.stdout, listed.stderr).toMatch(/coco\s+open.*Gbps/);
  await card(page).getByRole("button", { name: "Accept" }).click();
  await carriesInFull();
  expect(await coreOf("web.b", HOST)).toBe(cores[1]);
  const timeline = section(page, "Timeline");
  await expect(timeline.getByText(/gained [\d.]+ Gbps by measurement/)).toBeVisible({ timeout: SOON.timeout });
});

test("automatic on this host: the next push is made by itself", async ({ page }) => {
  test.setTimeout(300_000);
  await offer("web", LITTLE.rate_mpps);
  await stand("web.b", cores[0], HOST);
  const set = await sextant(["policy", "set", "--law", "coco", "--host", HOST, "--mode", "automatic"]);
  expect(set.status, set.stderr).toBe(0);
  await offer("web", much);
  await carriesInFull();
  expect(await coreOf("web.b", HOST)).toBe(cores[1]);
  await page.goto(ADDRESS);
  const timeline = section(page, "Timeline");
  await expect(timeline.getByText(/applied by the automatic policy/).first()).toBeVisible({ timeout: SOON.timeout });
});

test("the command says the same as the page", async () => {
  const hosts = await sextant(["coco", "hosts"]);
  expect(hosts.stdout, hosts.stderr).toContain(HOST);
  const shown = await sextant(["coco", "show", HOST]);
  for (const name of ["web.a", "web.b", "web.c"]) expect(shown.stdout, shown.stderr).toContain(name);
  const parameters = await sextant(["coco", "parameters", "--set", "hold_intervals=4"]);
  expect(parameters.stdout, parameters.stderr).toMatch(/hold_intervals\s+4/);
  const refused = await sextant(["coco", "parameters", "--set", "full_percent=20"]);
  expect(refused.status).not.toBe(0);
});

test("beyond a core: a lane is recommended with where it would stand, accepted, and all is carried", async ({
  page,
}) => {
  test.setTimeout(300_000);
  const ready = [
    ["chains", "delete", "web", "--wait"],
    ["hosts", "unreserve", HOST, "--cores", reserved.join(",")],
    ["policy", "set", "--law", "coco", "--host", HOST, "--mode", "recommend"],
  ];
  for (const args of ready) {
    const done = await sextant(args);
    expect(done.status, done.stderr).toBe(0);
  }
  await place({ name: "heavy", nfs: HEAVY, ingress: { host: HOST }, traffic: LITTLE });
  for (const nf of ["heavy.a", "heavy.b"]) await stand(nf, cores[0], HOST);
  const some = await rateThatUses(HOST, cores[0], 0.6, LITTLE.rate_mpps);
  await offer("heavy", some);
  await usedOf(cores[0], 0.5);
  const beyond = await rateThatUses(HOST, cores[0], BEYOND_A_CORE, some);
  await offer("heavy", beyond);
  await page.goto(ADDRESS);
  await expect(card(page)).toContainText(/Carry heavy in 2 lanes: \+[\d.]+ Gbps/, { timeout: SOON.timeout });
  await expect(card(page)).toContainText(/lacks [\d.]+ % of its time; the lanes free [\d.]+ %/);
  const picture = page.getByRole("list", { name: `Cores of ${HOST}` });
  await expect(picture.getByText("heavy-lane-2.a", { exact: true })).toBeVisible();
  const shown = await sextant(["coco", "show", HOST]);
  expect(shown.stdout, shown.stderr).toMatch(/heavy-lane-2\.a would start on core \d+/);
  await card(page).getByRole("button", { name: "Accept" }).click();
  await expect(async () => {
    const [first, second] = await Promise.all(["heavy", "heavy-lane-2"].map((lane) => lately(lane)));
    for (const [, offered, delivered] of [...(first ?? []), ...(second ?? [])]) {
      expect(offered).toBeGreaterThan(0.45 * beyond);
      expect(offered).toBeLessThan(0.55 * beyond);
      expect(delivered).toBeGreaterThan(0.99 * offered);
    }
  }).toPass(SOON);
});

test("the rate falls: by hand the chain is in no lanes again", async ({ page }) => {
  test.setTimeout(300_000);
  for (const lane of ["heavy", "heavy-lane-2"]) await offer(lane, LITTLE.rate_mpps / 2);
  await page.goto("/chains/heavy");
  await page.getByRole("button", { name: "Change lanes" }).click();
  const asked = page.getByRole("alertdialog", { name: "Carry heavy in lanes" });
  await asked.getByRole("button", { name: /Lanes/ }).first().click();
  await page.getByRole("option", { name: "in no lanes" }).click();
  await asked.getByRole("button", { name: "Plan the lanes" }).click();
  await expect(page.getByText("Carry heavy in one lane").first()).toBeVisible({ timeout: SOON.timeout });
  const done = await sextant(["chains", "scale", "heavy", "--lanes", "1", "--apply", "--wait"]);
  expect(done.status, done.stderr).toBe(0);
  const { traffic } = (await call<{ spec: { traffic: { rate_mpps: number; lane?: object } } }>("GET", "/chains/heavy"))
    .body.spec;
  expect(traffic).toMatchObject({ rate_mpps: LITTLE.rate_mpps });
  expect(traffic.lane ?? null).toBeNull();
  expect((await call("GET", "/chains/heavy-lane-2")).status).toBe(404);
});
