/** A packet filter in the kernel: packets pass and some are dropped by a rule; another rule acts without the chain being
 * replaced; what it takes of a core is not measured, and a quota for it is refused. */
import type { Page } from "@playwright/test";
import { call } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, section, testOn } from "../support/console.ts";
import { pidsWith } from "../support/processes.ts";

const test = testOn(0, "SEXTANT_DATAPLANE=0", "SEXTANT_LAB_HOSTS=2");
test.describe.configure({ mode: "serial" });
test.skip(process.getuid?.() !== 0, "namespaces and programs in the kernel need root");

const HOST = "lab-1";
const WALL = "nft-firewall";
/** Flows have destination ports of the whole range: about half of them are below. */
const HALF = { action: "deny", dst_port: [1, 32767] };
const CHAIN = `apiVersion: sextant/v1
kind: Chain
name: web
nfs:
  - router
  - {type: ${WALL}, config: {rules: [${JSON.stringify(HALF)}]}}
ingress: {host: ${HOST}}
traffic: {rate_mpps: 0.005, packet_bytes: 200, flows: 100}
`;
const SOON = { timeout: 60_000 };

interface Nf {
  restarts: number;
  since: string;
  sample: {
    tx_mpps: number;
    filtered_mpps: number;
    cpu_percent?: number;
    rule_counts?: { since: string; rules: { packets: number }[]; default: { packets: number } };
  } | null;
}

const wall = async () => (await call<Nf>("GET", `/nfs/web.${WALL}`)).body;
const rules = (page: Page) => page.getByRole("table", { name: `Rules of ${WALL}` }).getByRole("row");

async function carried(): Promise<{ passed: number; filtered: number }> {
  const { sample } = await wall();
  return { passed: sample?.tx_mpps ?? Number.NaN, filtered: sample?.filtered_mpps ?? Number.NaN };
}

test("packets pass, and some are dropped by a rule, which counts them", async ({ page }) => {
  const done = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, CHAIN);
  expect(done.status, done.stderr).toBe(0);
  await expect(async () => {
    const { passed, filtered } = await carried();
    expect(passed).toBeGreaterThan(0.001);
    expect(filtered).toBeGreaterThan(0.001);
  }).toPass(SOON);
  await page.goto("/chains/web");
  await expect(rules(page)).toHaveCount(3, SOON);
  await expect(rules(page).nth(1)).toContainText("deny all to ports 1 – 32767");
  await expect(rules(page).nth(2)).toContainText("allow what no rule matches");
  const packets = rules(page).nth(1).getByRole("cell").nth(1);
  const before = await packets.innerText();
  expect(before).not.toBe("0");
  await expect(packets).not.toHaveText(before);
  const shown = await sextant(["chains", "show", "web"]);
  expect(shown.stdout).toMatch(/web\.nft-firewall\s+1\s+deny all to ports 1-32767\s+[1-9]\d*\s/);
});

test("its CPU time is not measured, neither on pages nor by the command", async ({ page }) => {
  expect((await wall()).sample).not.toHaveProperty("cpu_percent");
  await page.goto(`/hosts/${HOST}`);
  const row = section(page, "NFs").getByRole("row", { name: new RegExp(WALL) });
  await expect(row.getByText("not measured")).toHaveCount(1);
  await expect(section(page, "NFs").getByText("not measured")).toHaveCount(1);
  const listed = await sextant(["nfs", "--chain", "web"]);
  expect(listed.stdout).toMatch(/web\.nft-firewall .* not measured /);
  expect(listed.stdout).toMatch(/web\.router .* \d+ % /);
});

test("a CPU quota for it is refused at its field", async ({ page }) => {
  await page.goto("/chains/web");
  const panel = section(page, "Adjust");
  await panel.getByLabel(`CPU quota of ${WALL}`).fill("20");
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();
  await expect(panel.getByText("a kernel NF has no CPU quota").first()).toBeVisible();
  const asked = await sextant(["chains", "adjust", "web", "--cpu", `${WALL}=:20`]);
  expect(asked.status).not.toBe(0);
  expect(asked.stderr).toContain(`nfs.${WALL}.cpu_quota_percent`);
});

test("another rule acts at once, and the chain is not replaced", async ({ page }) => {
  const pids = pidsWith("sextant-srv6-nf", "--type");
  const before = await wall();
  await page.goto("/chains/web");
  const panel = section(page, "Adjust");
  await panel.getByLabel(`rules of ${WALL}`).fill('[{"action": "deny", "src": "10.0.0.0/33"}]');
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();
  await expect(panel.getByText(/0\.src: /).first()).toBeVisible();
  expect((await carried()).passed).toBeGreaterThan(0.001);

  await panel.getByLabel(`rules of ${WALL}`).fill('[{"action": "deny", "protocol": "udp"}]');
  await panel.getByRole("button", { name: "Adjust", exact: true }).click();
  await expect(panel.getByRole("status").getByText("COMPLETED")).toBeVisible();
  await expect(async () => {
    const { passed, filtered } = await carried();
    expect(passed).toBe(0);
    expect(filtered).toBeGreaterThan(0.003);
  }).toPass(SOON);
  await expect(rules(page).nth(1)).toContainText("deny udp");
  const after = await wall();
  expect([after.restarts, after.since]).toEqual([before.restarts, before.since]);
  expect(Date.parse(after.sample?.rule_counts?.since ?? "")).toBeGreaterThan(
    Date.parse(before.sample?.rule_counts?.since ?? ""),
  );
  expect(pidsWith("sextant-srv6-nf", "--type")).toEqual(pids);
});

test("so it does by the command, and the chain goes without leaving anything", async () => {
  const config = [`${WALL}.rules=none`, `${WALL}.default_action="allow"`];
  const opened = await sextant(["chains", "adjust", "web", ...config.flatMap((one) => ["--config", one]), "--wait"]);
  expect(opened.status, opened.stderr).toBe(0);
  await expect(async () => {
    const { passed, filtered } = await carried();
    expect(passed).toBeGreaterThan(0.003);
    expect(filtered).toBe(0);
  }).toPass(SOON);
  const gone = await sextant(["chains", "delete", "web", "--wait"]);
  expect(gone.status, gone.stderr).toBe(0);
  expect(pidsWith("sextant-srv6-nf", "--type")).toEqual([]);
});
