/** sfc2cpu's calibrated assigner with real packets on this machine's two cores: chains run under three placements, what
 * their packets cost beside others is fitted on what was measured of them, and a newcomer is assigned by it. Nothing that
 * runs is moved, and all packets arrive.
 *
 * It is offered as the default where the fit is good enough; where other programs disturbed what was measured too much,
 * the console advises against it with the reason, and the operator asks for it by name, with that warning on the plan. */
import type { Page } from "@playwright/test";
import { call, clear, submit } from "../support/api.ts";
import { coreOf, stand } from "../support/coco.ts";
import { applyShownPlan, expect, section, test } from "../support/console.ts";
import { installation } from "../support/installation.ts";
import { alone, carries, done, forgetType, rateOf, registerAndPromote, SOON } from "../support/shared-cores.ts";

/** Some ten microseconds a packet, which hang little on what else the machine does. */
const TYPE = "edge-worker";
const CONFIG = { loops: 40_000 };
/** All four on one core, and a newcomer beside three: by loads they may begin as one beside three. */
const SLOTS = 4;
/** Of a core, by chain. */
const LIGHT = new Map([
  ["a", 0.12],
  ["b", 0.1],
  ["c", 0.07],
  ["d", 0.05],
]);
const [NEWCOMER, NEWCOMERS_SHARE] = ["late", 0.08];
/** Spans of ten seconds under each of three placements: as many as a fit wants, which is 30. */
const SPANS = 10;
/** What a span takes, and as much again where the console is late. */
const SPANS_MS = 20_000 * SPANS;

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

interface Fit {
  id: number;
  state: string;
  windows: number | null;
  cost: Cost | null;
  error: { detail: string } | null;
}

interface Cost {
  version: number;
  windows: number;
  placements: number;
  nf_types: string[];
  left_out_error: number;
  provenance: string;
}

interface SharingHost {
  cost: Cost | null;
  fit: Fit | null;
  assigner: { algorithm: string; why: string };
}

interface Plan {
  solving: { algorithm: string };
  body: {
    after: { nf_id: string; seat: { core: number } }[];
    warnings: string[];
    evidence: {
      algorithm: string | null;
      hosts: { algorithm: string | null; assigned: { moves: number; cost: { version: number } | null } | null }[];
    };
  };
}

const shared = async () => (await call<SharingHost>("GET", `/control/sfc2cpu/hosts/${here()}`)).body;

/** How many spans of ten seconds a fit finds now; one that finds too few says how many. */
async function spans(): Promise<number> {
  const asked = await call<Fit>("POST", "/control/sfc2cpu/fits", { host: here() });
  expect(asked.status, JSON.stringify(asked.body)).toBe(202);
  let fit = asked.body;
  await expect(async () => {
    fit = (await call<Fit>("GET", `/control/sfc2cpu/fits/${asked.body.id}`)).body;
    expect(fit.state).not.toBe("fitting");
  }).toPass(SOON);
  return fit.windows ?? 0;
}

/** Until as many more were measured under what stands now. */
async function measured(before: number): Promise<number> {
  let found = before;
  await expect(async () => {
    found = await spans();
    expect(found).toBeGreaterThanOrEqual(before + SPANS);
  }).toPass({ timeout: SPANS_MS, intervals: [10_000] });
  return found;
}

async function cores(): Promise<Map<string, number>> {
  const { items } = (await call<{ items: { nf_id: string; seat: { core: number } }[] }>("GET", "/nfs")).body;
  return new Map(items.map(({ nf_id, seat }) => [nf_id, seat.core]));
}

/** The plan on the screen, once it is proposed, which says that it goes by fitted costs of that version. */
async function planByCosts(page: Page, version: number): Promise<Plan> {
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  const said = section(page, `Shared cores of ${here()}`);
  await expect(said).toContainText("By costs that were fitted here", SOON);
  await expect(said).toContainText(`What cores are asked for is by fitted costs, version ${version}, `);
  await expect(said).toContainText("Nothing that runs moves.");
  const id = /\d+$/.exec(page.url())?.[0];
  return (await call<Plan>("GET", `/plans/${id}`)).body;
}

async function askByName(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Options: Assign newcomers to cores" }).click();
  const options = page.getByRole("dialog", { name: "Options: Assign newcomers to cores" });
  await options.getByRole("button", { name: /Algorithm/ }).click();
  await page.getByRole("option", { name: /^calibrated/ }).click();
  await options.getByRole("button", { name: "Plan", exact: true }).click();
}

function ratesOf(mpps: number): Map<string, number> {
  return new Map([...LIGHT].map(([chain, share]) => [chain, rateOf(share, mpps)]));
}

test("chains share two cores, by loads as long as nothing was fitted", async ({ page }) => {
  test.setTimeout(420_000);
  await registerAndPromote(TYPE, CONFIG);
  await done("hosts", "slots", here(), String(SLOTS), "--reason", "small NFs share");
  const rates = ratesOf(await alone(TYPE));
  for (const [chain, rate_mpps] of rates) {
    await submit({ name: chain, nfs: [TYPE], traffic: { rate_mpps, packet_bytes: 1400, flows: 100 } });
  }
  await page.goto("/automation?tab=sfc2cpu");
  await page.getByRole("button", { name: "Assign newcomers", exact: true }).click();
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await applyShownPlan(page, SOON.timeout);
  await carries(rates);
});

test("three placements are measured, and their costs fitted from the page", async ({ page }) => {
  test.setTimeout(3 * SPANS_MS + 180_000);
  const first = await cores();
  let found = await measured(0);
  for (const chain of ["a", "c"]) {
    await stand(idOf(chain), first.get(idOf(chain)) === 0 ? 1 : 0, here());
    found = await measured(found);
  }
  const before = (await shared()).fit?.id ?? 0;
  await page.goto(address());
  await page.getByRole("button", { name: "Fit costs", exact: true }).click();
  const costs = page.getByLabel(`Costs beside others on ${here()}`);
  await expect.poll(async () => (await shared()).fit?.id, SOON).toBeGreaterThan(before);
  await expect.poll(async () => (await shared()).fit?.state, SOON).toBe("done");
  const { cost, assigner } = await shared();
  if (cost === null) throw new Error("nothing was fitted");
  expect([cost.nf_types, cost.provenance]).toEqual([[TYPE], "measured"]);
  expect(cost.placements).toBeGreaterThanOrEqual(3);
  await expect(costs).toContainText(`version ${cost.version}, fitted`);
  await expect(costs).toContainText(`${assigner.algorithm}: ${assigner.why}.`);
  const percent = (100 * cost.left_out_error).toFixed(1);
  test.info().annotations.push({
    type: "fit",
    description: `${cost.windows} spans, ${cost.placements} placements, ${percent} % off: ${assigner.algorithm} is offered`,
  });
  expect(assigner.algorithm).toBe(cost.left_out_error <= 0.12 ? "calibrated" : "min_max");
  expect(assigner.why).toContain("up to 12 % is good enough");
});

test("a newcomer is assigned by fitted costs, nobody moves, and all packets arrive", async ({ page }) => {
  test.setTimeout(240_000);
  const mpps = await alone(TYPE);
  const rates = new Map([...ratesOf(mpps), [NEWCOMER, rateOf(NEWCOMERS_SHARE, mpps)]]);
  const traffic = { rate_mpps: rates.get(NEWCOMER), packet_bytes: 1400, flows: 100 };
  await submit({ name: NEWCOMER, nfs: [TYPE], traffic });
  const before = await cores();
  const { cost, assigner } = await shared();
  if (cost === null) throw new Error("nothing was fitted");
  await page.goto(address());
  await expect(page.getByText(`Newcomers are assigned by ${assigner.algorithm}: ${assigner.why}.`)).toBeVisible(SOON);
  const offered = assigner.algorithm === "calibrated";
  if (offered) await page.getByRole("button", { name: "Assign newcomers", exact: true }).click();
  else await askByName(page);
  const { solving, body } = await planByCosts(page, cost.version);
  expect(solving.algorithm).toBe("calibrated");
  const [host] = body.evidence.hosts;
  expect([host?.assigned?.moves, host?.assigned?.cost?.version]).toEqual([0, cost.version]);
  expect(body.warnings.some((one) => one.startsWith(`fitted costs of ${here()}: `))).toBe(!offered);
  const after = new Map(body.after.map(({ nf_id, seat }) => [nf_id, seat.core]));
  for (const [nf, core] of before) expect(after.get(nf), nf).toBe(core);
  await applyShownPlan(page, SOON.timeout);
  await carries(rates);
  expect(await cores()).toEqual(after);
  expect(await coreOf(idOf(NEWCOMER), here())).toBe(after.get(idOf(NEWCOMER)));
  await page.goto(address());
  const table = page.getByRole("table", { name: "NFs on shared cores" });
  await expect(table.getByRole("row", { name: idOf(NEWCOMER) })).toBeVisible(SOON);
  test.info().annotations.push({
    type: "assigner",
    description: offered ? "calibrated, as the default that was offered" : "calibrated, by name: the fit was poor",
  });
});
