/** Simulated hosts stand beside this machine; a chain on one is moved across NUMA nodes, and the page says why that costs. */
import type { Page } from "@playwright/test";
import { type ChainView, call, operationIs, place as placeChain, planIs, submit } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, expect, figure, section, testOn } from "../support/console.ts";

interface HostView {
  host_id: string;
  status: string;
  provenance: string | null;
  nodes: { node: number; link_load_percent: number | null }[];
}
interface NfView {
  nf_id: string;
  seat: { node: number; core: number };
  sample: { memory_remote_bytes_per_s?: number; llc_misses_per_s?: number } | null;
}

interface Masked {
  sample: { llc_way_mask?: number } | null;
}

const HOST = "sim-3";
/** The nids reads every packet whole: near the NICs it keeps up, across the link it does not. */
const SPEC = {
  name: "across",
  nfs: ["firewall", "nids"],
  ingress: { host: HOST },
  traffic: { rate_mpps: 6, packet_bytes: 128, flows: 100000 },
  slo: { min_throughput_mpps: 5.4 },
};

/** One chain of NF types that a profile of nids measures, and of others that stay assumed. */
const MIXED = {
  name: "mixed",
  nfs: ["router", "firewall", "nat", "load-balancer", "vpn", "basic-monitor", "dpi", "nids", "simple-forward"],
  ingress: { host: "sim-1" },
  traffic: { rate_mpps: 1, packet_bytes: 64, flows: 100000 },
};

/** A chain that wants the host which is cordoned. */
const MOVED_IN = { name: "moved-in", nfs: ["simple-forward"], ingress: { host: "sim-1" }, traffic: MIXED.traffic };

const test = testOn(4);
test.describe.configure({ mode: "serial" });

test("the fleet is alive: this machine, and four hosts that are marked simulated", async ({ page }) => {
  await expect(async () => {
    const { items } = (await call<{ items: HostView[] }>("GET", "/hosts")).body;
    expect(items.map(({ host_id, status }) => `${host_id} ${status}`)).toEqual([
      "edge-1 up",
      "sim-1 up",
      "sim-2 up",
      "sim-3 up",
      "sim-4 up",
    ]);
    const simulated = items.filter(({ provenance }) => provenance === "simulated");
    expect(simulated.map(({ host_id }) => host_id)).toEqual(["sim-1", "sim-2", "sim-3", "sim-4"]);
  }).toPass({ timeout: 60_000 });
  await page.goto("/");
  for (const host of ["edge-1", "sim-1", "sim-2", "sim-3", "sim-4"]) {
    await expect(page.getByTestId("heat-map").getByRole("link", { name: host })).toBeVisible();
  }
});

test("a host is cordoned by its page: the plan of a chain for it says so; once uncordoned, it takes the chain", async ({
  page,
}) => {
  await page.goto("/hosts/sim-1");
  const maintenance = section(page, "Maintenance");
  await maintenance.getByRole("button", { name: "Cordon", exact: true }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Why").fill("new memory");
  await dialog.getByRole("button", { name: "Cordon", exact: true }).click();
  await expect(maintenance.getByTestId("cordon")).toContainText("new memory");

  await page.goto(`/plans/${await submit(MOVED_IN)}`);
  await expect(page.getByText(/sim-1 is cordoned \(new memory\)/).first()).toBeVisible();

  await page.goto("/hosts/sim-1");
  await maintenance.getByRole("button", { name: "Uncordon", exact: true }).click();
  await expect(maintenance.getByText("Plans may put NFs on this host.")).toBeVisible();
  const asked = { intent: { kind: "place", chain: MOVED_IN.name } };
  const { id } = (await call<{ id: number }>("POST", "/plans", asked)).body;
  await planIs(id, "proposed");
  await page.goto(`/plans/${id}`);
  await expect(page.getByRole("button", { name: /^Apply \d+ change/ })).toBeEnabled();
  const { etag } = await call("GET", `/chains/${MOVED_IN.name}`);
  expect((await call("DELETE", `/chains/${MOVED_IN.name}`, undefined, etag ?? undefined)).status).toBe(204);
});

test("while a chain is drawn the page says NF by NF what it would carry, and nothing is stored", async ({ page }) => {
  const asked = new Set<string>();
  page.on("request", (request) => {
    if (request.method() !== "GET") asked.add(new URL(request.url()).pathname);
  });
  await page.goto("/chains/new");
  const prediction = section(page, "Prediction");
  await expect(prediction.getByText("Add an NF to see where the chain would stand")).toBeVisible();
  await section(page, "Ingress").getByRole("button", { name: /Host/ }).click();
  await page.getByRole("option", { name: HOST }).click();
  await page.getByLabel("Rate").fill("14");
  const throughput = prediction.getByRole("definition").filter({ hasText: "Mpps" }).first();
  let fastest = 14;
  for (const nf of ["firewall", "nids", "vpn"]) {
    await section(page, "NF types")
      .getByRole("button", { name: new RegExp(`^${nf}\\b`) })
      .click();
    await expect(prediction.getByText(HOST, { exact: true })).toBeVisible();
    await expect.poll(() => figure(throughput), { message: `with ${nf} it is slower` }).toBeLessThan(fastest);
    fastest = await figure(throughput);
  }
  expect(fastest).toBeGreaterThan(0);
  expect([...asked], "it only asks for predictions").toEqual(["/api/v1/chains/predictions"]);
});

test("a chain is planned by exact, applied, moved to the other node and back: its throughput falls, and the page says why", async ({
  page,
}) => {
  await place();
  await expect
    .poll(delivered, { message: "near the NICs it meets its objective", timeout: 60_000 })
    .toBeGreaterThan(5.4);
  const near = await delivered();
  const home = (await nids()).seat.core;
  await expect.poll(async () => (await nids()).sample?.memory_remote_bytes_per_s ?? 0).toBeLessThan(1e6);

  await test.step("across the link", async () => {
    await move(page, "across.nids", 12);
    await expect.poll(delivered, { timeout: 60_000 }).toBeLessThan(0.9 * near);
    // In the second of the move it delivers less already, and most of that second it was near the NICs.
    await expect.poll(async () => (await nids()).sample?.llc_misses_per_s ?? 0).toBeGreaterThan(1e6);
    const remote = async () => (await nids()).sample?.memory_remote_bytes_per_s ?? 0;
    await expect.poll(remote, { message: "reads packets from the other node" }).toBeGreaterThan(50e6);
    await expect.poll(linkLoad).toBeGreaterThan(0.5);
  });

  await test.step("the host's page shows it, marked simulated", async () => {
    // By itself the table shows what counters report only where a window is wider than most.
    await page.goto(`/hosts/${HOST}?columns=core,remote`);
    await expect(page.getByTestId("host-picture")).toBeVisible();
    const row = section(page, "NFs").getByRole("row", { name: /nids/ });
    await expect(section(page, "NFs").getByRole("img", { name: "simulated" }).first()).toBeVisible();
    await expect(row.getByRole("button", { name: "1/12" })).toBeVisible();
    const heads = await section(page, "NFs").getByRole("columnheader").allInnerTexts();
    // The first column is a row header, no cell.
    const remote = row.getByRole("cell").nth(heads.findIndex((head) => head.startsWith("Remote")) - 1);
    await expect.poll(() => figure(remote), { message: "GB/s from the other node" }).toBeGreaterThan(0.05);
    await page.goto(`/chains/${SPEC.name}`);
    await expect(page.getByTestId("counter-causes")).toContainText("of nids's memory traffic crosses the link");
  });

  await test.step("and back", async () => {
    await move(page, "across.nids", home);
    await expect.poll(delivered, { timeout: 60_000 }).toBeGreaterThan(0.97 * near);
  });

  await test.step("other algorithms race on what the plans were made from", async () => {
    await page.goto("/plans/compare");
    const races = section(page, "Races").getByRole("table", { name: "Races" });
    await expect(races.getByRole("row", { name: new RegExp(HOST) }).first()).toContainText(
      /planning|not measured yet|scored/,
      { timeout: 60_000 },
    );
  });
});

test("a chain gets cache ways for all its NFs on its page, is seen to fill them alone, and gives them back", async ({
  page,
}) => {
  const chain = { name: "together", nfs: ["router", "firewall"], ingress: { host: "sim-2" }, traffic: MIXED.traffic };
  await placeChain(chain);
  await page.goto(`/chains/${chain.name}`);
  const ways = section(page, "Ways and bandwidth");
  await ways.getByRole("button", { name: "Resources" }).click();
  const form = page.getByRole("region", { name: `Resources of ${chain.name}` });
  await expect(form.getByText(/Memory bandwidth: not on this host: .*no memory bandwidth allocation/)).toBeVisible();
  await form.getByLabel("LLC ways").fill("20"); // 20 ways, of which one stays shared
  await expect(form.getByText("at most 19")).toBeVisible();
  await form.getByLabel("LLC ways").fill("4");
  await form.getByRole("button", { name: "Plan the change" }).click();
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  const changes = section(page, "Changes");
  await expect(changes.getByText("LLC ways of its chain shared → 4")).toHaveCount(2);
  await expect(page.getByRole("figure", { name: /^After/ }).getByText("together 4")).toBeVisible();
  await expect(
    page
      .getByRole("figure", { name: /^Before/ })
      .getByText("shared 20")
      .first(),
  ).toBeVisible();
  await applyShownPlan(page);

  await test.step("telemetry and the host's page", async () => {
    const masks = () =>
      Promise.all(
        chain.nfs.map(async (nf) => (await call<Masked>("GET", `/nfs/together.${nf}`)).body.sample?.llc_way_mask),
      );
    await expect.poll(masks, { message: "the four lowest ways" }).toEqual([0xf, 0xf]);
    await page.goto("/hosts/sim-2");
    await expect(section(page, "Ways and bandwidth").getByText("together 4")).toBeVisible();
    await expect(section(page, "Ways and bandwidth").getByText(/^\d+ of at most 15 NFs and chains/)).toBeVisible();
  });

  const back = await sextant(["plans", "ask", "--set", "together.ways=none", "--apply", "--wait"]);
  expect(back.status, back.stderr).toBe(0);
  await expect(section(page, "Ways and bandwidth").getByText("together 4")).toHaveCount(0);
  const refused = await sextant(["plans", "ask", "--set", "together.bandwidth=50"]);
  expect(refused.status).toBe(1);
  expect(refused.stdout.replaceAll(/\s+/g, " ")).toContain("sim-2 cannot give memory bandwidth");
});

test("a fit is promoted: of a chain of fitted and assumed NF types the same is predicted as before, and it is carried", async () => {
  test.setTimeout(240_000);
  await placeChain(MIXED);
  await expect.poll(async () => (await mixed())?.measured_mpps ?? 0, { timeout: 60_000 }).toBeGreaterThan(0.97);
  expect((await mixed())?.predicted_mpps).toBeCloseTo(1);

  const ask = { nf_type: "nids", host: HOST, seconds: 0.2, max_samples: 3 };
  const started = await call<{ id: number }>("POST", "/profiling/jobs", ask);
  expect(started.status, JSON.stringify(started.body)).toBe(202);
  const { id } = started.body;
  let fit = 0;
  await expect(async () => {
    const job = (await call<{ state: string; fit_id: number | null }>("GET", `/profiling/jobs/${id}`)).body;
    expect(job.state).toBe("COMPLETED");
    fit = job.fit_id ?? 0;
    expect((await call<{ state: string }>("GET", `/fits/${fit}`)).body.state).toBe("done");
  }).toPass({ timeout: 150_000, intervals: [1000] });
  const { etag } = await call("GET", `/fits/${fit}`);
  const promoted = await call<{ promoted: string[] }>("POST", `/fits/${fit}/promotion`, {}, etag ?? undefined);
  expect(promoted.body.promoted).toContain("nids");

  const { victims } = (await call<{ victims: { mpps: number }[] }>("GET", `/hosts/${MIXED.ingress.host}/interference`))
    .body;
  expect(Math.min(...victims.map(({ mpps }) => mpps)), "assumed weights of another scale made it 0").toBeGreaterThan(1);
  await test.step("and tested from then on, without a move", async () => {
    await expect.poll(async () => (await mixed())?.measured_mpps ?? 0, { timeout: 60_000 }).toBeGreaterThan(0.97);
    expect((await mixed())?.predicted_mpps).toBeCloseTo(1);
  });
});

interface Predicted {
  chain: string;
  predicted_mpps: number;
  measured_mpps?: number;
}

async function mixed(): Promise<Predicted | undefined> {
  const { hosts } = (await call<{ hosts: { chains: Predicted[] }[] }>("GET", `/predictions?host=${MIXED.ingress.host}`))
    .body;
  return hosts.flatMap(({ chains }) => chains).find(({ chain }) => chain === MIXED.name);
}

/** Asked of `exact` by name, as `sextant chains submit --algorithm exact` does. */
async function place(): Promise<void> {
  const submitted = await call<{ plan_id: number }>("POST", "/chains", SPEC);
  expect(submitted.status).toBe(201);
  await call("POST", `/plans/${submitted.body.plan_id}/reject`);
  const asked = { intent: { kind: "place", chain: SPEC.name }, algorithm: "exact" };
  const { id } = (await call<{ id: number }>("POST", "/plans", asked)).body;
  const plan = await planIs(id, "proposed");
  const answer = await call<{ id: number }>("POST", `/plans/${id}/apply`, undefined, `"${plan.digest}"`);
  await operationIs(answer.body.id, "COMPLETED");
}

async function move(page: Page, nf: string, core: number): Promise<void> {
  await page.goto(`/hosts/${HOST}`);
  const row = section(page, "NFs").getByRole("row", { name: new RegExp(nf.split(".")[1] as string) });
  await row.getByRole("button", { name: "Migrate" }).click();
  const choice = page.getByRole("region", { name: `Migrate ${nf}` });
  await choice.getByRole("button", { name: `Plan the move to core ${core}`, exact: true }).click();
  await applyShownPlan(page);
}

async function delivered(): Promise<number> {
  return (await call<ChainView>("GET", `/chains/${SPEC.name}`)).body.sample?.delivered_mpps ?? 0;
}

/** Of the busiest link between nodes, in percent. */
async function linkLoad(): Promise<number> {
  const { nodes } = (await call<HostView>("GET", `/hosts/${HOST}`)).body;
  return Math.max(...nodes.map(({ link_load_percent }) => link_load_percent ?? 0));
}

async function nids(): Promise<NfView> {
  return (await call<NfView>("GET", "/nfs/across.nids")).body;
}
