/** A host with OpenNetVM joins the fleet, carries a chain from plan to deletion, loses an NF, and leaves without a trace. */
import type { Page } from "@playwright/test";
import { type ChainView, call, clear, type NfView } from "../support/api.ts";
import { applyShownPlan, chainRow, draftChain, expect, figure, section, test } from "../support/console.ts";
import {
  agentLog,
  endHost,
  enrol,
  makeHost,
  type OpenNetVmHost,
  PORT,
  packetCpu,
  programs,
  shared,
  startAgent,
} from "../support/opennetvm.ts";
import { kill } from "../support/processes.ts";

interface HostView {
  status: string;
  provenance: string | null;
  inventory: { driver: string; ports: { name: string }[]; capabilities: { name: string; reason: string }[] };
}

const HOST = "edge-onvm";
const NO_LATENCY = "OpenNetVM does not report how long packets take";
/** A manager begins to answer after 6 s of OpenNetVM's time, its NFs after 2 more. */
const STARTED_MS = 30_000;

/** Room for every column of an NF. */
test.use({ viewport: { width: 2200, height: 900 } });
test.describe.configure({ mode: "serial", timeout: 120_000 });

let host: OpenNetVmHost;

test.beforeAll(async () => {
  test.setTimeout(180_000); // whoever has a shared manager on this machine comes first
  await clear();
  host = await makeHost();
});
test.afterAll(async () => {
  if (host === undefined) return;
  try {
    await clear(); // where the story broke off
    const { status, etag } = await call("GET", `/hosts/${HOST}`);
    if (status === 200) expect((await call("DELETE", `/hosts/${HOST}`, undefined, etag ?? "*")).status).toBe(204);
  } finally {
    await endHost(host);
  }
});
test.afterEach(({ page: _page }, info) => {
  if (info.status !== info.expectedStatus) console.log(agentLog(host));
});

test("it is enrolled from the console, and its page says what OpenNetVM cannot do", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Add host" }).click();
  const form = page.getByRole("form", { name: "Add a host" });
  await form.getByLabel("Name of the host").fill(HOST);
  await page.getByRole("dialog").getByRole("button", { name: "Create a token" }).click();
  const command = await form.locator("code.enrol-command").innerText();
  expect(await enrol(host, command)).toContain(`This host is ${HOST}`);
  startAgent(host);
  await expect.poll(async () => (await view())?.status, { timeout: STARTED_MS }).toBe("up");
  const { provenance, inventory } = (await view()) as HostView;
  expect([provenance, inventory.driver, inventory.ports.map(({ name }) => name)]).toEqual([
    "measured",
    "opennetvm",
    [PORT],
  ]);

  await page.goto("/");
  await page.getByTestId("heat-map").getByRole("link", { name: HOST }).click();
  await expect(section(page, "Host").getByText(/driver opennetvm$/)).toBeVisible();
  await expect(section(page, "Cannot").getByText(NO_LATENCY)).toBeVisible();
  await expect(page.getByRole("button", { name: "Profile" })).toBeEnabled();
  expect(programs(host), "no manager without a chain").toEqual([]);
});

test("firewall -> basic-monitor: submitted for it, reviewed, applied; its port's packets are counted", async ({
  page,
}) => {
  await draftChain(page, "web", ["firewall", "basic-monitor"]);
  await page.getByLabel("Throughput").fill("0.05");
  await page.getByLabel("Latency p95").fill("500");
  const ingress = section(page, "Ingress");
  await ingress.getByRole("button", { name: /Host/ }).click();
  await page.getByRole("option", { name: HOST }).click();
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  const changes = page.getByRole("table", { name: "Changes" });
  await expect(changes.getByRole("row")).toHaveCount(3);
  await expect(changes.getByText(new RegExp(`${HOST}/0/`))).toHaveCount(2);
  await expect(page.getByText("throughput not predictable")).toBeVisible();
  await expect(section(page, "Warnings").getByText(NO_LATENCY)).toBeVisible();
  await apply(page);

  const names = programs(host).map(({ name }) => name);
  expect(names.sort()).toEqual(["basic_monitor", "firewall", "onvm_mgr"]);
  await expect.poll(async () => (await chain()).sample?.delivered_mpps ?? 0, { timeout: 60_000 }).toBeGreaterThan(0.05);
  await page.goto("/chains");
  await expect(chainRow(page, "web").getByText("≥ 0.05 Mpps, met")).toBeVisible();
  await page.goto(`/hosts/${HOST}`);
  for (const nf of ["firewall", "basic-monitor"]) {
    const cells = section(page, "NFs")
      .getByRole("row", { name: new RegExp(nf) })
      .getByRole("cell");
    await expect(cells.nth(1)).toHaveText("running");
    await expect.poll(() => figure(cells.nth(8)), { message: `Mpps out of ${nf}` }).toBeGreaterThan(0.05);
    await expect(cells.nth(4), "under a shared manager at most the CPU time of its packet thread").toHaveText(
      /^≤ ?[0-9.]+$/,
    );
    await expect(cells.nth(12), "how full its ring is, nobody reports").toHaveText("–");
  }
});

test("what nobody measures or can do there is said, not shown as nothing", async ({ page }) => {
  expect((await chain()).sample?.p95_us).toBeNull();
  await page.goto("/chains");
  await expect(chainRow(page, "web").getByText("≤ 500.0 ms p95, not measured")).toBeVisible();
  await page.goto("/chains/web");
  await expect(section(page, "Objectives").getByText(NO_LATENCY)).toBeVisible();
  await expect(section(page, "Latency").getByText(NO_LATENCY)).toBeVisible();
  const panel = section(page, "Adjust");
  await expect(panel.getByRole("button", { name: "Pause" })).toBeDisabled();
  await expect(panel.getByText("what plans expect; all packets that arrive from outside are accepted")).toBeVisible();
  await expect(panel.getByRole("radio", { name: "Run to completion" })).toBeDisabled();
  await page.goto(`/hosts/${HOST}`);
  await expect(page.getByRole("region", { name: "Chain web" }).getByText(NO_LATENCY)).toBeVisible();
});

test("an NF is moved to the other CPU: the same process, counting on", async ({ page }) => {
  const before = await nf("firewall");
  const core = 1 - before.seat.core;
  const pid = pidOf("firewall");
  await page.goto(`/hosts/${HOST}`);
  await section(page, "NFs")
    .getByRole("row", { name: /firewall/ })
    .getByRole("button", { name: "Migrate" })
    .click();
  const choice = page.getByRole("region", { name: "Migrate web.firewall" });
  await choice.getByRole("button", { name: `Plan the move to core ${core}`, exact: true }).click();
  await apply(page);
  expect([pidOf("firewall"), packetCpu(pid)]).toEqual([pid, String(core)]);
  await expect.poll(async () => (await nf("firewall")).actual_core).toBe(core);
});

test("an NF that is killed comes back, with those that hand packets to it, and the page counts that", async ({
  page,
}) => {
  const manager = pidOf("onvm_mgr");
  const pid = pidOf("basic_monitor");
  await page.goto(`/hosts/${HOST}`);
  const row = section(page, "NFs").getByRole("row", { name: /basic-monitor/ });
  await expect(row, "the table is there, and with it its heads").toBeVisible();
  const cells = row.getByRole("cell");
  const heads = await section(page, "NFs").getByRole("columnheader").allInnerTexts();
  const restarts = cells.nth(heads.indexOf("Restarts") - 1); // the first column is a row header, no cell
  await expect(restarts).toHaveText("0");
  await kill(pid);
  await expect(restarts).toHaveText("1", { timeout: STARTED_MS });
  await expect(cells.nth(1)).toHaveText("running", { timeout: STARTED_MS });
  expect(pidOf("basic_monitor")).not.toBe(pid);
  expect(pidOf("onvm_mgr")).toBe(manager);
  await expect.poll(() => figure(cells.nth(8)), { timeout: 60_000 }).toBeGreaterThan(0.05);
});

test("the chain is deleted: no process and nothing that processes shared is left; then the host is removed", async ({
  page,
}) => {
  expect(shared(host).length, "files, 128 semaphores and as many keys").toBeGreaterThan(256);
  await page.goto("/chains/web");
  await page.getByRole("button", { name: "Delete chain" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete web" }).click();
  await expect(page.getByText("COMPLETED").first()).toBeVisible({ timeout: STARTED_MS });
  expect([programs(host), shared(host)]).toEqual([[], []]);

  await page.goto(`/hosts/${HOST}`);
  await page.getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Its name").fill(HOST);
  await dialog.getByRole("button", { name: `Remove ${HOST}` }).click();
  await expect(page.getByTestId("heat-map")).toBeVisible(); // it leads back to the fleet
  await expect(page.getByTestId("heat-map").getByRole("link", { name: HOST })).toHaveCount(0);
  expect((await call("GET", `/hosts/${HOST}`)).status).toBe(404);
});

async function apply(page: Page): Promise<void> {
  await applyShownPlan(page, STARTED_MS);
}

async function view(): Promise<HostView | undefined> {
  const { status, body } = await call<HostView>("GET", `/hosts/${HOST}`);
  return status === 200 ? body : undefined;
}

async function chain(): Promise<ChainView> {
  return (await call<ChainView>("GET", "/chains/web")).body;
}

async function nf(name: string): Promise<NfView> {
  return (await call<NfView>("GET", `/nfs/web.${name}`)).body;
}

/** Of the one process of that program. */
function pidOf(name: string): number {
  const found = programs(host).filter((one) => one.name === name);
  expect(found, name).toHaveLength(1);
  return found[0]?.pid as number;
}
