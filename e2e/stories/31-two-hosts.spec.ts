/** Chains over two simulated hosts: lanes that are pinned to them, a lane more on one of them by hand, two chains that
 * change places, with and without room for both, and a lane that CoCo's law starts on the other host. */
import { call, clear, place } from "../support/api.ts";
import { cocoHost, rateThatUses, shareTwoCores, stand } from "../support/coco.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, expect, section, testSimulated as test } from "../support/console.ts";
import { offer } from "../support/numasfp.ts";

const [FIRST, SECOND] = ["demo-1", "demo-2"];
const FEW = { rate_mpps: 0.2, packet_bytes: 256, flows: 1000 };
const SOON = { timeout: 120_000, intervals: [250] };
const PINNED = `apiVersion: sextant/v1
kind: Chain
name: pinned
lanes: [{weight: 3, host: ${FIRST}}, {weight: 1, host: ${SECOND}}]
nfs: [router, firewall]
traffic: {rate_mpps: 0.4, packet_bytes: 256, flows: 1000}
`;

test.describe.configure({ mode: "serial" });

const reserved = new Map<string, string>();
/** The stories before and after this one have hosts of that name, too, and share and reserve cores of them. */
async function takeAway(): Promise<void> {
  await clear();
  await done("demo", "--remove");
}
test.afterAll(takeAway);
test.beforeAll(async () => {
  test.setTimeout(600_000);
  await takeAway();
  await done("demo", "--hosts", "2");
  for (const host of [FIRST, SECOND]) {
    await expect(async () => {
      expect((await call<{ status: string }>("GET", `/hosts/${host}`)).body.status).toBe("up");
    }).toPass(SOON);
  }
  await clear();
});

interface Placed {
  placement: { nf_id: string; seat: { host: string; core: number } }[];
}

async function seats(chain: string): Promise<Placed["placement"]> {
  return (await call<Placed>("GET", `/chains/${chain}`)).body.placement;
}

/** The only one that a chain stands on. */
async function hostOf(chain: string): Promise<string | undefined> {
  const hosts = new Set((await seats(chain)).map(({ seat }) => seat.host));
  expect(hosts.size).toBe(1);
  return [...hosts][0];
}

async function done(...args: string[]): Promise<string> {
  const found = await sextant(args);
  expect(found.status, `${args.join(" ")}: ${found.stderr}`).toBe(0);
  return found.stdout;
}

/** Of a host all cores but those on which NFs stand; which. */
async function reserveTheRest(host: string): Promise<string> {
  const held = (await Promise.all(["web", "dns"].map(seats))).flat().filter(({ seat }) => seat.host === host);
  const taken = new Set(held.map(({ seat }) => seat.core));
  const { inventory } = (
    await call<{ inventory: { cores: { id: number; reserved_for: string | null }[] } }>("GET", `/hosts/${host}`)
  ).body;
  const rest = inventory.cores.filter(({ id, reserved_for }) => reserved_for === null && !taken.has(id));
  const cores = rest.map(({ id }) => id).join(",");
  await done("hosts", "reserve", host, "--cores", cores, "--reason", "story");
  return cores;
}

test("a chain file pins each lane to a host, and its page says what each carries", async ({ page }) => {
  const submitted = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, PINNED);
  expect(submitted.status, submitted.stderr).toBe(0);
  expect([await hostOf("pinned"), await hostOf("pinned-lane-2")]).toEqual([FIRST, SECOND]);
  await page.goto("/chains/pinned");
  const lanes = page.getByRole("table", { name: "Lanes of pinned" });
  const [first, second] = [lanes.getByRole("row", { name: FIRST }), lanes.getByRole("row", { name: SECOND })];
  await expect(first).toContainText("75");
  await expect(second).toContainText("25");
  await expect(second.getByRole("link", { name: "pinned-lane-2" })).toBeVisible();
});

test("by hand a third lane goes to the other host, and is gone once that is undone", async () => {
  const scaled = await done("chains", "scale", "pinned", "--weights", "2,1,1", "--host", SECOND, "--apply", "--wait");
  expect(await hostOf("pinned-lane-3")).toBe(SECOND);
  const operation = /operation (\d+)/i.exec(scaled)?.[1];
  expect(operation, scaled).toBeDefined();
  await done("operations", "undo", String(operation), "--apply", "--wait");
  expect((await call("GET", "/chains/pinned-lane-3")).status).toBe(404);
  const refused = await sextant(["chains", "scale", "pinned", "--lanes", "3", "--host", "nowhere"]);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain("no host nowhere is enrolled");
});

test("two chains change places in the dialog: one host runs both meanwhile, and no chain stops", async ({ page }) => {
  await clear();
  await place({ name: "web", nfs: ["router", "firewall"], ingress: { host: FIRST }, traffic: FEW });
  await place({ name: "dns", nfs: ["firewall", "router"], ingress: { host: SECOND }, traffic: FEW });
  await page.goto("/chains/web");
  await page.getByRole("button", { name: "Move to host" }).click();
  const asked = page.getByRole("alertdialog", { name: "Move web to another host" });
  await asked.getByRole("button", { name: /Host/ }).first().click();
  await page.getByRole("option", { name: SECOND }).click();
  await asked.getByRole("button", { name: /In exchange for/ }).click();
  await page.getByRole("option", { name: "dns" }).click();
  await expect(asked).toContainText(`dns goes to ${FIRST}`);
  await asked.getByRole("button", { name: "Plan the move" }).click();
  await expect(section(page, "Exchange between hosts")).toContainText("no chain stops before it runs elsewhere", SOON);
  await applyShownPlan(page, SOON.timeout);
  expect([await hostOf("web"), await hostOf("dns")]).toEqual([SECOND, FIRST]);
});

test("without room for both the exchange interrupts them: refused until somebody allows that", async ({ page }) => {
  for (const host of [FIRST, SECOND]) reserved.set(host, await reserveTheRest(host));
  const exchange = ["chains", "relocate", "web", "--host", FIRST, "--exchange", "dns"];
  const refused = await sextant([...exchange, "--apply", "--wait"]);
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toMatch(/loss|interrupt/);
  expect([await hostOf("web"), await hostOf("dns")]).toEqual([SECOND, FIRST]);

  const planned = await done(...exchange);
  const plan = /plan (\d+)/i.exec(planned)?.[1];
  await page.goto(`/plans/${plan}`);
  await expect(section(page, "Exchange between hosts")).toContainText("interrupts chains");
  await page.getByRole("button", { name: /^Apply \d+ change/ }).click();
  const consent = page.getByRole("alertdialog", { name: /interrupt (web, dns|dns, web)/ });
  await expect(consent).toContainText("s without a packet");
  await consent.getByRole("button", { name: /Apply/ }).click();
  await expect(page).toHaveURL(/\/operations\/\d+$/);
  await expect(page.getByText("COMPLETED").first()).toBeVisible({ timeout: SOON.timeout });
  expect([await hostOf("web"), await hostOf("dns")]).toEqual([FIRST, SECOND]);
});

test("a host without room for another lane: CoCo's law starts it on the other host", async ({ page }) => {
  test.setTimeout(400_000);
  await clear();
  for (const [host, taken] of reserved) await done("hosts", "unreserve", host, "--cores", taken);
  const { cores } = await shareTwoCores(FIRST, 3);
  await done("hosts", "slots", SECOND, "3", "--reason", "small NFs share");
  const nfs = [
    { type: "nids", name: "a" },
    { type: "simple-forward", name: "b" },
  ];
  await place({
    name: "heavy",
    nfs,
    ingress: { host: FIRST },
    traffic: { rate_mpps: 1, packet_bytes: 64, flows: 1000 },
  });
  for (const nf of ["heavy.a", "heavy.b"]) await stand(nf, cores[0], FIRST);
  await done("hosts", "reserve", FIRST, "--cores", String(cores[1]), "--reason", "story");
  const some = await rateThatUses(FIRST, cores[0], 0.6, 1);
  await offer("heavy", some);
  await expect(async () => {
    const here = (await cocoHost(FIRST)).cores.find(({ core }) => core === cores[0])?.elements ?? [];
    expect(here.reduce((sum, one) => sum + (one.use ?? 0), 0)).toBeGreaterThan(0.5);
  }).toPass(SOON);
  await offer("heavy", await rateThatUses(FIRST, cores[0], 1.6, some));
  await page.goto(`/automation?tab=coco&host=${FIRST}`);
  const card = page.getByRole("region", { name: "Recommendation", exact: true });
  await expect(card).toContainText(/Carry heavy in 2 lanes/, { timeout: SOON.timeout });
  await expect(card).toContainText(new RegExp(`heavy-lane-2\\.a on core \\d+ of ${SECOND}`));
  const picture = page.getByRole("list", { name: `Cores of ${FIRST}` });
  await expect(picture.getByText("heavy-lane-2.a", { exact: true })).toBeVisible();
  expect(await done("coco", "show", FIRST)).toMatch(new RegExp(`would start on core \\d+ of ${SECOND}`));
  await card.getByRole("button", { name: "Accept" }).click();
  await expect(async () => {
    expect((await call("GET", "/chains/heavy-lane-2")).status).toBe(200);
    expect(await hostOf("heavy-lane-2")).toBe(SECOND);
    expect((await cocoHost(FIRST)).reason).toContain("no core needs more time than it has");
  }).toPass(SOON);
});
