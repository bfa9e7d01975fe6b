/** NUMASFP's law on a simulated host: levels are measured and promoted, the host's agent takes ways and bandwidth over,
 * rates are exchanged, a swap is recommended and accepted, then made by itself, then stopped. */
import type { Page } from "@playwright/test";
import { type ChainView, call, clear, type NfView, type Operation, operationIs, place } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, section, testSimulated as test } from "../support/console.ts";
import { arm, disarm, reached } from "../support/faults.ts";
import { lawChain, lawHost, leaveOneCoreANode, offer, promoteLevels } from "../support/numasfp.ts";
import { kill, pidOf, type Role } from "../support/processes.ts";

/** Of `sextant demo`: its machine has cache and memory bandwidth allocation both, which sim-1 to sim-4 have not. */
const HOST = "demo-1";
/** Reads every packet whole: near the NICs it carries what it cannot across the link. */
const NF = "nids";
const BYTES = 128;
const CHAINS = ["voice", "web"] as const;
/** On the wire 0.5 x (128 + 24) x 8 / 1000 = 0.61 and 4.8 x 152 x 8 / 1000 = 5.84 Gbps: just below levels 1 and 6. */
const LITTLE_MPPS = 0.5;
const MUCH_MPPS = 4.8;
/** A second for each of hold, evaluation and report, on a machine that is busy with other tests. */
const SOON = { timeout: 120_000, intervals: [250] };
/** The swap's order is with the agent, and nobody has stored that yet. */
const ORDER_SENT = "operate.put.after_send";
const ADDRESS = `/automation?tab=numasfp&host=${HOST}`;

test.describe.configure({ mode: "serial" });

test.beforeAll(clear);
/** The next story of such a host begins with another one, which NUMASFP's law leaves alone. */
test.afterAll(async () => {
  await clear();
  for (const args of [
    ["policy", "set", "--law", "numasfp", "--host", HOST, "--mode", "manual"],
    ["demo", "--remove"],
  ]) {
    const done = await sextant(args);
    expect(done.status, done.stderr).toBe(0);
  }
});

async function hostIsUp(): Promise<void> {
  const demo = await sextant(["demo", "--hosts", "1"]);
  expect(demo.status, demo.stderr).toBe(0);
  await expect(async () => {
    expect((await call<{ status: string }>("GET", `/hosts/${HOST}`)).body.status).toBe("up");
  }).toPass({ timeout: 60_000 });
}

/** The one where packets arrive, and the other. */
async function sides(): Promise<{ near: string; far: string }> {
  const [first, second] = await Promise.all(CHAINS.map((name) => lawChain(HOST, name)));
  expect([first?.local, second?.local].sort()).toEqual([false, true]);
  return first?.local ? { near: CHAINS[0], far: CHAINS[1] } : { near: CHAINS[1], far: CHAINS[0] };
}

async function carriesInFull(name: string): Promise<void> {
  await expect(async () => {
    const { local, rate_gbps, carried_gbps, violations } = await lawChain(HOST, name);
    expect({ local, violations }).toEqual({ local: true, violations: 0 });
    expect(carried_gbps ?? 0).toBeGreaterThan(0.95 * (rate_gbps ?? Number.POSITIVE_INFINITY));
    expect(rate_gbps ?? 0, "it is offered much").toBeGreaterThan(5);
  }).toPass(SOON);
}

/** The far chain is offered much, the near one little; who is who afterwards. */
async function exchangeRates(): Promise<{ near: string; far: string }> {
  const before = await sides();
  await offer(before.near, LITTLE_MPPS);
  await offer(before.far, MUCH_MPPS);
  return before;
}

async function operations(): Promise<number[]> {
  return (await call<{ items: Operation[] }>("GET", "/operations?limit=200")).body.items.map(({ id }) => id);
}

/** The recommendation that moves chains, not one that only hands them over. */
async function recommendedSwap(): Promise<number> {
  let found: { id: number; moves: number } | undefined;
  await expect(async () => {
    const { recommendation_id: id } = await lawHost(HOST);
    expect(id).not.toBeNull();
    found = (await call<{ id: number; moves: number }>("GET", `/recommendations/${id}`)).body;
    expect(found.moves).toBe(CHAINS.length);
  }).toPass(SOON);
  return found?.id as number;
}

function accept(recommendation: number) {
  return call<{ operation_id: number; type: string }>("POST", `/recommendations/${recommendation}/actions`, {
    action: "accept",
  });
}

/** Kills the processes of these roles; ends once others have taken their places. */
async function killed(...roles: Role[]): Promise<void> {
  const before = new Map(roles.map((role) => [role, pidOf(role)]));
  for (const [role, pid] of before) {
    expect(pid, `a ${role} runs`).toBeDefined();
    await kill(pid as number);
  }
  await expect(async () => {
    for (const [role, pid] of before) expect([undefined, pid]).not.toContain(pidOf(role));
  }).toPass(SOON);
}

/** Every chain runs, and each of its NFs on the core that it was given, which nobody else has. */
async function eachHasItsCore(): Promise<void> {
  await expect(async () => {
    for (const name of CHAINS) {
      expect((await call<ChainView>("GET", `/chains/${name}`)).body.state).toBe("running");
    }
    const nfs = (await call<{ items: NfView[] }>("GET", "/nfs?limit=200")).body.items;
    expect(nfs.map(({ nf_id }) => nf_id).sort()).toEqual(CHAINS.map((name) => `${name}.${NF}`).sort());
    expect(nfs.map(({ actual_core }) => actual_core)).toEqual(nfs.map(({ seat }) => seat.core));
    expect(new Set(nfs.map(({ seat }) => `${seat.host} ${seat.core}`)).size).toBe(nfs.length);
  }).toPass(SOON);
}

function card(page: Page) {
  return page.getByRole("region", { name: "Recommendation", exact: true });
}

test("without levels the tab says what is missing; a job measures them, and they are promoted", async ({ page }) => {
  test.setTimeout(480_000);
  await hostIsUp();
  await page.goto("/automation");
  await page.getByRole("link", { name: "NUMASFP" }).click();
  await expect(page).toHaveURL(/tab=numasfp/);
  await expect(page.getByText(/The law looks at hosts that run a chain/)).toBeVisible();
  await promoteLevels(HOST, NF, BYTES);
  const asked = await sextant(["policy", "set", "--law", "numasfp", "--mode", "recommend"]);
  expect(asked.status, asked.stderr).toBe(0);
});

test("two chains run, one on each node; the hand-over is recommended, accepted, and their agent sets both", async ({
  page,
}) => {
  test.setTimeout(300_000);
  await leaveOneCoreANode(HOST);
  for (const name of CHAINS) {
    const traffic = { rate_mpps: LITTLE_MPPS, packet_bytes: BYTES, flows: 1000 };
    await place({ name, nfs: [NF], ingress: { host: HOST }, traffic });
  }
  await page.goto(ADDRESS);
  const rows = page.getByRole("table", { name: "Hosts in NUMASFP’s law" });
  await expect(rows.getByRole("link", { name: HOST })).toBeVisible({ timeout: SOON.timeout });
  await expect(card(page)).toContainText("Let the agent set ways and bandwidth of", { timeout: SOON.timeout });
  await card(page).getByRole("button", { name: "Accept" }).click();
  await expect(async () => {
    for (const name of CHAINS) {
      const { bounds, control } = await lawChain(HOST, name);
      expect(bounds).not.toBeNull();
      expect(control).not.toBeNull();
    }
  }).toPass(SOON);
  await expect(page.getByText(/\d+ to \d+ ways, \d+ to \d+ %/).first()).toBeVisible();
});

test("rates are exchanged: a swap is recommended with reason and gain, accepted, and the throughput recovers", async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { far } = await exchangeRates();
  await page.goto(ADDRESS);
  await expect(card(page)).toContainText(/Swap (voice and web|web and voice): \+[\d.]+ Gbps/, {
    timeout: SOON.timeout,
  });
  await expect(card(page)).toContainText("assumed");
  await card(page).getByRole("button", { name: "Why" }).click();
  await expect(card(page)).toContainText(`${far} is offered`);
  const listed = await sextant(["recommendations"]);
  expect(listed.stdout, listed.stderr).toMatch(/numasfp\s+open.*Gbps/);
  await card(page).getByRole("button", { name: "Accept" }).click();
  await carriesInFull(far);
  await expect(page.getByRole("list", { name: /Chains on node/ }).filter({ hasText: far })).toContainText("local");
});

test("console and worker are killed in the middle of a swap: it ends once, and nobody can accept it again", async () => {
  test.setTimeout(300_000);
  const { far } = await exchangeRates();
  const recommendation = await recommendedSwap();
  const before = await operations();
  arm({ [ORDER_SENT]: { action: "pause", times: 1 } });
  const accepted = await accept(recommendation);
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(200);
  await reached(ORDER_SENT);
  const dead = killed("console", "worker");
  await test.step("a second operator accepts the same until the console answers: it is decided", async () => {
    await expect(async () => {
      const again = await accept(recommendation);
      expect([again.status, again.body.type]).toEqual([409, "urn:sextant:problem:recommendation-decided"]);
    }).toPass(SOON);
  });
  await dead;
  disarm();
  await operationIs(accepted.body.operation_id, "COMPLETED");
  expect((await operations()).filter((id) => !before.includes(id))).toEqual([accepted.body.operation_id]);
  await eachHasItsCore();
  await carriesInFull(far);
});

test("automatic on this host: rates are exchanged again, and the swap is made by itself", async ({ page }) => {
  test.setTimeout(300_000);
  await page.goto(ADDRESS);
  const policy = page.getByRole("form", { name: "Policy of NUMASFP" });
  const slider = policy.getByRole("slider");
  await slider.focus();
  await slider.press("Home");
  for (let step = 1; step < 4; step += 1) await slider.press("ArrowRight");
  await expect(slider).toHaveAttribute("aria-valuetext", `Automatic on ${HOST}`);
  await policy.getByRole("button", { name: "Set policy" }).click();
  await expect(policy.getByText(`Now: Automatic on ${HOST}`)).toBeVisible();
  const { far } = await exchangeRates();
  await carriesInFull(far);
  const timeline = section(page, "Timeline");
  await expect(timeline.getByText(/applied by the automatic policy/).first()).toBeVisible({ timeout: SOON.timeout });
});

test("stopped: rates are exchanged once more, and nothing moves until control laws go on", async ({ page }) => {
  test.setTimeout(300_000);
  await page.goto(ADDRESS);
  await page.getByRole("button", { name: "Stop all automation" }).click();
  await expect(page.getByRole("button", { name: "Resume automation" })).toBeVisible();
  await expect(async () => expect((await lawHost(HOST)).stopped).not.toBeNull()).toPass(SOON);
  const { far } = await exchangeRates();
  const before = await operations();

  await test.step("the host goes on reporting that the chain falls short, and nobody orders anything", async () => {
    await expect(async () => {
      const path = `/telemetry/chains/${far}?seconds=60`;
      const { samples } = (await call<{ samples: [at: number, offered: number, delivered: number][] }>("GET", path))
        .body;
      const much = samples.filter(([, offered]) => offered > 0.9 * MUCH_MPPS);
      expect(much.length, "seconds in which it is offered much").toBeGreaterThan(8);
      expect(much.slice(-8).every(([, offered, delivered]) => delivered < 0.99 * offered)).toBe(true);
    }).toPass(SOON);
    expect(await operations()).toEqual(before);
    expect((await lawChain(HOST, far)).local).toBe(false);
  });

  await page.getByRole("button", { name: "Resume automation" }).click();
  await carriesInFull(far);
});

test("the command says the same as the page", async () => {
  const hosts = await sextant(["numasfp", "hosts"]);
  expect(hosts.stdout, hosts.stderr).toContain(HOST);
  const shown = await sextant(["numasfp", "show", HOST]);
  for (const name of CHAINS) expect(shown.stdout, shown.stderr).toContain(name);
  expect(shown.stdout).toMatch(/levels\s+version \d+ of nids, simulated/);
  const parameters = await sextant(["numasfp", "parameters", "--set", "hold_intervals=3"]);
  expect(parameters.stdout, parameters.stderr).toMatch(/hold_intervals\s+3/);
  const refused = await sextant(["numasfp", "parameters", "--set", "hold_intervals=0"]);
  expect(refused.status).not.toBe(0);
});
