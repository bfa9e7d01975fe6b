/** A chain over two hosts on real packets: its load is raised and the second host gives its NF more; it is raised further,
 * that host has no more, and a lane of all its NFs starts on a third. Which loop did what, and why, is read afterwards.
 *
 * That a change of lanes loses nothing is checked at a load that all lanes carry. Above that an NF drops what it cannot
 * do, and what its source holds back is dropped at any change: that is the overload's (decision 105). */
import { call, clear } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, testMeasured as test } from "../support/console.ts";

test.describe.configure({ mode: "serial" });
test.beforeAll(clear);
test.skip(process.getuid?.() !== 0, "namespaces and programs in the kernel need root");

/** The dearest that this type can be made: a second's MUCH takes far more of a core than 15 %, LITTLE less than 5. */
const [LITTLE, MORE, MUCH] = ["0.0005", "0.002", "0.006"];
const NF = "web-part-2.simple-forward";
const CHAIN = `apiVersion: sextant/v1
kind: Chain
name: web
path:
  - {nfs: [router], host: lab-1}
  - {nfs: [{type: simple-forward, cpu_quota_percent: 5, config: {loops: 100000}}], host: lab-2}
traffic: {rate_mpps: ${LITTLE}, packet_bytes: 600, flows: 100}
quota_bounds: {max_p95_us: 20000, least_percent: 5, most_percent: 15}
`;

interface Chain {
  state: string;
  placement: { seat: { host: string } }[];
  sample: { offered_mpps: number; delivered_mpps: number; drop_mpps: number } | null;
  bounded_nfs?: { nf_id: string; state: string; quota_percent: number | null }[];
}
interface History {
  samples: number[];
  series: { figure: string; most: (number | null)[] }[];
}

const chain = async (name: string) => (await call<Chain>("GET", `/chains/${name}`)).body;
const isThere = async (name: string) => (await call("GET", `/chains/${name}`)).status === 200;
const quota = async () => {
  const found = (await chain("web-part-2")).bounded_nfs?.find(({ nf_id }) => nf_id === NF);
  return found?.quota_percent ?? Number.NaN;
};

async function done(...args: string[]) {
  const ended = await sextant(args);
  expect(ended.status, ended.stderr).toBe(0);
  return ended.stdout;
}

/** The most that a chain dropped in any second since then. */
async function dropped(name: string, since: Date): Promise<number> {
  const range = `from=${since.toISOString()}&to=${new Date().toISOString()}`;
  const { body } = await call<History>("GET", `/chains/${name}/history?${range}`);
  expect(body.samples.length, `seconds of ${name}`).toBeGreaterThan(0);
  const most = body.series.find(({ figure }) => figure === "drop_mpps")?.most ?? [];
  return Math.max(0, ...most.map((one) => one ?? 0));
}

test.beforeEach(async () => {
  const { body } = await call<{ inventory: { capabilities: { name: string; available: boolean }[] } | null }>(
    "GET",
    "/hosts/lab-2",
  );
  const able = body.inventory?.capabilities.find(({ name }) => name === "quota-bounds");
  test.skip(able?.available !== true, "CPU quotas cannot be set on this machine");
});

test("a chain over two hosts carries little with a small quota", async () => {
  const submitted = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, CHAIN);
  expect(submitted.status, submitted.stderr).toBe(0);
  // Other stories run beside this one, and use both cores: they would leave no host room for a lane.
  await done("srv6", "parameters", "--set", "other_work_percent=0", "--set", "rest_s=1");
  await expect(async () => {
    expect((await chain("web-part-2")).sample?.delivered_mpps ?? 0).toBeGreaterThan(0.0004);
    expect(await quota()).toBeLessThan(10);
  }).toPass({ timeout: 120_000 });
});

test("a lane comes to a third host and goes again, and no packet is lost by that", async () => {
  const since = new Date();
  await done("chains", "scale", "web", "--lanes", "2", "--host", "lab-3", "--apply", "--wait");
  expect((await chain("web-lane-2")).placement.map(({ seat }) => seat.host)).toEqual(["lab-3", "lab-3"]);
  await expect(async () => {
    for (const name of ["web-part-2", "web-lane-2"]) {
      expect((await chain(name)).sample?.delivered_mpps ?? 0).toBeGreaterThan(0.0001);
    }
  }).toPass({ timeout: 60_000 });
  const shown = await done("chains", "show", "web");
  expect(shown).toMatch(/1\s+web\s+50 %\s+lab-1, lab-2/);
  expect(await dropped("web-lane-2", since)).toBe(0);
  await done("chains", "scale", "web", "--lanes", "1", "--apply", "--wait");
  expect(await isThere("web-lane-2")).toBe(false);
  await expect(async () => {
    expect((await chain("web-part-2")).sample?.delivered_mpps ?? 0).toBeGreaterThan(0.0004);
  }).toPass({ timeout: 60_000 });
  for (const name of ["web", "web-part-2"]) expect(await dropped(name, since)).toBe(0);
});

test("that undone, the lane is back on its host", async () => {
  const [last] = (await call<{ items: { id: number }[] }>("GET", "/operations?limit=1")).body.items;
  await done("operations", "undo", String(last?.id), "--apply", "--wait");
  expect((await chain("web-lane-2")).placement.map(({ seat }) => seat.host)).toEqual(["lab-3", "lab-3"]);
});

test("and goes by undoing that", async () => {
  const [last] = (await call<{ items: { id: number }[] }>("GET", "/operations?limit=1")).body.items;
  await done("operations", "undo", String(last?.id), "--apply", "--wait");
  expect(await isThere("web-lane-2")).toBe(false);
});

test("the load is raised, and the second host gives its NF more", async () => {
  await expect(async () => expect(await quota()).toBeLessThan(10)).toPass({ timeout: 60_000 });
  const before = await quota();
  await done("chains", "adjust", "web", "--rate-mpps", MORE, "--wait");
  await expect(async () => expect(await quota()).toBeGreaterThan(before)).toPass({ timeout: 60_000 });
});

test("raised further, a lane is recommended, accepted on the page, and carries its part", async ({ page }) => {
  test.setTimeout(420_000); // what had waited at the full NF is worked off first
  await done("chains", "adjust", "web", "--rate-mpps", MUCH, "--wait");
  await expect(async () => {
    const found = (await chain("web-part-2")).bounded_nfs?.find(({ nf_id }) => nf_id === NF);
    expect(found?.state).toBe("saturated");
  }).toPass({ timeout: 60_000 });
  await page.goto("/automation?tab=srv6&host=lab-1");
  const card = page.getByRole("region", { name: "Recommendation", exact: true });
  await expect(card).toContainText("Carry web in", { timeout: 120_000 });
  await expect(card).toContainText("web-lane-2 on lab-3");
  // One that was made before the load was raised is refused, and another takes its place.
  await expect(async () => {
    if ((await call("GET", "/chains/web-lane-2")).status === 200) return;
    await card.getByRole("button", { name: "Accept" }).click({ timeout: 5_000 });
    await expect.poll(async () => (await call("GET", "/chains/web-lane-2")).status, { timeout: 15_000 }).toBe(200);
  }).toPass({ timeout: 120_000 });
  await expect(async () => {
    for (const name of ["web", "web-part-2", "web-lane-2"]) {
      const { state, sample } = await chain(name);
      expect([name, state]).toEqual([name, "running"]);
      expect(sample?.delivered_mpps ?? 0).toBeGreaterThan(0.0005);
    }
  }).toPass({ timeout: 200_000 });
  expect((await chain("web-lane-2")).placement[0]?.seat.host).toBe("lab-3");
});

test("which loop did what, and why, is read afterwards", async () => {
  await expect(async () => {
    const told = await done("automation", "timeline", "--law", "srv6");
    // The global loop: an NF of the second host is why all of the chain got a lane.
    expect(told).toMatch(
      new RegExp(`${NF} has its packets longer than tolerated, and its host has no more for it; web in \\d lanes`),
    );
    // The local loop of that host: what it gave before, and the latency for which it did.
    expect(told).toMatch(
      new RegExp(`lab-2 changed CPU quotas by itself, [^:]*: ${NF} [\\d.]+ to [\\d.]+ %; last since`),
    );
  }).toPass({ timeout: 120_000, intervals: [2000] });
});

test("deleted, no lane of it is left", async () => {
  await done("chains", "delete", "web", "--lanes", "--wait");
  expect((await call<{ items: unknown[] }>("GET", "/chains")).body.items).toEqual([]);
});
