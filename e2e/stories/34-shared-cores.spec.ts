/** sfc2cpu's assigners with real packets on this machine's two cores: small NFs are measured, assigned to shared cores as
 * newcomers, carry their packets, and after their rates have changed one exchange makes the fullest core less full. */
import type { Page } from "@playwright/test";
import { call, clear, submit } from "../support/api.ts";
import { applyShownPlan, expect, figure, section, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { offer } from "../support/numasfp.ts";
import { alone, carries, done, forgetType, rateOf, registerAndPromote, SOON } from "../support/shared-cores.ts";

/** Some ten microseconds a packet: what source and sink take for as few packets is small beside it. */
const TYPE = "edge-worker";
const CONFIG = { loops: 40_000 };
const CHAINS = ["a", "b", "c", "d"];
/** As many NFs as there are slots. Source and sink share the first core, which is used last. */
const SLOTS = 2;
/** Of a core, by chain. */
const LIGHT = new Map([
  ["a", 0.12],
  ["b", 0.1],
  ["c", 0.07],
  ["d", 0.05],
]);
/** Afterwards, of the two NFs on the first core and of the two on the second: .4 and .06 before one exchange, .23 each
 * after it, which is better unless other programs use .17 more of the second core than of the first. */
const [HEAVY, LITTLE] = [0.2, 0.03];

test.describe.configure({ mode: "serial" });
test.beforeAll(clear);
test.afterAll(async () => {
  await clear();
  await done("hosts", "slots", here(), "default");
  await forgetType(TYPE);
});

const here = () => installation().hostId;
const address = () => `/automation?tab=sfc2cpu&host=${here()}`;
const idOf = (chain: string) => `${chain}.${TYPE}`;

interface Assigned {
  fullest_percent: number;
  moves: number;
  cores: { core: number; nfs_percent: number; others_percent: number }[];
}

interface Plan {
  body: {
    after: { nf_id: string; seat: { core: number } }[];
    evidence: { hosts: { assigned: Assigned | null; status: string }[] };
  };
}

/** What the plan on the screen says of this machine, once it is proposed. */
async function shownPlan(page: Page): Promise<{ cores: Map<string, number>; status: string; assigned: Assigned }> {
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await expect(section(page, `Shared cores of ${here()}`)).toBeVisible(SOON);
  const id = /\d+$/.exec(page.url())?.[0];
  const { body } = (await call<Plan>("GET", `/plans/${id}`)).body;
  const [host] = body.evidence.hosts;
  if (!host?.assigned) throw new Error(`plan ${id} says nothing of shared cores`);
  return {
    cores: new Map(body.after.map(({ nf_id, seat }) => [nf_id, seat.core])),
    status: host.status,
    assigned: host.assigned,
  };
}

/** The least that the fullest core can be asked for where two NFs share each of two cores, by these loads. */
function leastFullest({ cores }: Assigned, loads: readonly number[]): number {
  const all = loads.reduce((sum, load) => sum + load, 0);
  const others = new Map(cores.map((core) => [core.core, core.others_percent]));
  const [first, second] = [others.get(0) ?? 0, others.get(1) ?? 0];
  const pairs = loads.flatMap((one, at) => loads.slice(at + 1).map((other) => one + other));
  return Math.min(...pairs.map((pair) => Math.max(first + pair, second + all - pair)));
}

/** The tab's table says of every NF the core that the plan named, a load that was measured and what a packet takes. */
async function showsLoads(page: Page, cores: ReadonlyMap<string, number>): Promise<void> {
  await page.goto(address());
  const table = page.getByRole("table", { name: "NFs on shared cores" });
  for (const [nf, core] of cores) {
    const cells = table.getByRole("row", { name: nf }).getByRole("cell");
    await expect(cells.nth(0)).toHaveText(String(core));
    for (const at of [2, 3, 4]) await expect.poll(() => figure(cells.nth(at)), SOON).toBeGreaterThan(0);
  }
  const bars = page.getByRole("list", { name: `Shared cores of ${here()}` });
  await expect(bars.getByText(/: \d+(\.\d+)? % of the core/).first()).toBeAttached();
  await expect(page.getByRole("region", { name: `Host ${here()}` })).toContainText("measured");
}

test("what a packet takes is measured alone, and its model promoted", async () => {
  test.setTimeout(300_000);
  await registerAndPromote(TYPE, CONFIG);
  expect(await alone(TYPE)).toBeLessThan(1);
});

test("newcomers are assigned on the tab: proved, applied, and all packets arrive", async ({ page }) => {
  test.setTimeout(240_000);
  await done("hosts", "slots", here(), String(SLOTS), "--reason", "small NFs share");
  const mpps = await alone(TYPE);
  const rates = new Map([...LIGHT].map(([chain, share]) => [chain, rateOf(share, mpps)]));
  for (const [chain, rate_mpps] of rates) {
    await submit({ name: chain, nfs: [TYPE], traffic: { rate_mpps, packet_bytes: 1400, flows: 100 } });
  }
  await page.goto("/automation?tab=sfc2cpu");
  await page.getByRole("button", { name: "Assign newcomers", exact: true }).click();
  const { cores, status, assigned } = await shownPlan(page);
  await expect(section(page, `Shared cores of ${here()}`)).toContainText(
    "Proved: no assignment asks its fullest core for less.",
  );
  expect([status, assigned.moves]).toEqual(["optimal", 0]);
  expect([...cores.values()].toSorted()).toEqual([0, 0, 1, 1]);
  const loads = [...rates.values()].map((rate) => (100 * rate) / mpps);
  expect(assigned.fullest_percent).toBeCloseTo(leastFullest(assigned, loads), 3);
  await applyShownPlan(page, SOON.timeout);
  await carries(rates);
  await showsLoads(page, cores);
});

test("rates change: a re-balance exchanges two NFs, and all packets arrive", async ({ page }) => {
  test.setTimeout(240_000);
  const mpps = await alone(TYPE);
  const { items } = (await call<{ items: { nf_id: string; seat: { core: number } }[] }>("GET", "/nfs")).body;
  const before = new Map(items.map(({ nf_id, seat }) => [nf_id, seat.core]));
  const shareOf = (chain: string) => (before.get(idOf(chain)) === 0 ? HEAVY : LITTLE);
  const rates = new Map(CHAINS.map((chain) => [chain, rateOf(shareOf(chain), mpps)]));
  for (const [chain, rate] of rates) await offer(chain, rate);
  await page.goto(address());
  await page.getByRole("button", { name: "Re-balance", exact: true }).click();
  const { cores, assigned } = await shownPlan(page);
  const moved = [...cores].filter(([nf, core]) => core !== before.get(nf));
  expect(moved.map(([nf]) => before.get(nf)).toSorted()).toEqual([0, 1]);
  expect(assigned.moves).toBe(2);
  await applyShownPlan(page, SOON.timeout);
  await carries(rates);
  await showsLoads(page, cores);
  await page.getByRole("button", { name: "Fit costs" }).click();
  await expect(page.getByText(/spans of ten seconds within 6 h, and a fit wants 30/)).toBeVisible();
});
