/** Three people of three roles at one fleet: an administrator makes the others; one drains a host while another changes
 * a chain and the third looks on. */
import type { Browser, Page } from "@playwright/test";
import { call, clear, place } from "../support/api.ts";
import { applyShownPlan, expect, section, testSimulated as test } from "../support/console.ts";
import { installation } from "../support/installation.ts";

const traffic = { rate_mpps: 1, packet_bytes: 64, flows: 1000 };
/** Neither names a host: on a fleet of simulated hosts alone they may stand on any. */
const WEB = { name: "web", nfs: ["router", "firewall", "nids"], traffic, slo: { min_throughput_mpps: 0.9 } };
const DNS = { name: "dns", nfs: ["router", "nat"], traffic };
/** Its packets arrive at one host. */
const PINNED = { name: "pinned", nfs: ["simple-forward"], ingress: { host: "sim-1" }, traffic };

test.describe.configure({ mode: "serial" });

test.beforeAll(clear);

test("an administrator makes an operator and a viewer, and each chooses a password; a host is drained under their eyes", async ({
  page,
  browser,
}) => {
  await test.step("both hosts are up, and the first has three chains", async () => {
    await expect(async () => {
      const { items } = (await call<{ items: { status: string }[] }>("GET", "/hosts")).body;
      expect(items.map(({ status }) => status)).toEqual(["up", "up"]);
    }).toPass({ timeout: 60_000 });
    await call("POST", "/hosts/sim-2/cordon", { reason: "not yet" });
    for (const chain of [WEB, DNS, PINNED]) await place(chain);
    await call("POST", "/hosts/sim-2/uncordon");
  });

  const olga = await joins(page, browser, "olga", "operator");
  const vera = await joins(page, browser, "vera", "viewer");

  await test.step("the viewer may do nothing, and is told why", async () => {
    await vera.goto("/hosts/sim-1");
    const drain = section(vera, "Maintenance").getByRole("button", { name: "Drain" });
    await expect(drain).toHaveAttribute("aria-disabled", "true");
    await expect(drain).toHaveAccessibleDescription(/operator/);
    await expect(vera.getByRole("link", { name: "Users" })).toHaveCount(0);
  });

  await test.step("the operator drains the host: the plan says what moves, what it will carry, and what stays", async () => {
    await olga.goto("/hosts/sim-1");
    await section(olga, "Maintenance").getByRole("button", { name: "Drain" }).click();
    const dialog = olga.getByRole("alertdialog");
    await dialog.getByLabel("Why").fill("new memory");
    await dialog.getByRole("button", { name: "Plan the drain" }).click();
    await expect(olga).toHaveURL(/\/plans\/\d+$/);
    await expect(section(olga, "Cannot move")).toContainText("pinned its ingress is sim-1");
    const moved = section(olga, "Changes").getByRole("table", { name: "Changes" });
    await expect(moved.getByRole("row", { name: /of web/ })).toHaveCount(3);
    await expect(moved.getByRole("row", { name: /sim-1 is drained/ })).toHaveCount(5);
  });

  await test.step("meanwhile the administrator pauses a chain that stays: the plan no longer holds, and is made again", async () => {
    const paused = await call("PATCH", "/chains/pinned/settings", { paused: true }, await tagOf("pinned"));
    expect(paused.status, JSON.stringify(paused.body)).toBe(202);
    await expect.poll(() => stateOf("pinned")).toBe("running");
    const apply = olga.getByRole("button", { name: /^Apply \d+ change/ });
    await expect(apply).toHaveAccessibleDescription(/superseded/);
    await olga.getByRole("button", { name: "Re-plan", exact: true }).click();
    await expect(apply).toBeEnabled();
    await expect(apply).not.toHaveAttribute("aria-disabled");
    await expect(section(olga, "Cannot move")).toContainText("pinned");
  });

  await test.step("she applies the new plan; the viewer sees the chains arrive", async () => {
    await vera.goto("/hosts/sim-2");
    await applyShownPlan(olga);
    const nfs = section(vera, "NFs");
    for (const nf of ["router", "firewall", "nids", "nat"]) {
      await expect(nfs.getByRole("row", { name: new RegExp(nf) }).first()).toBeVisible();
    }
    await expect
      .poll(() => delivered("web"), { message: "on the other host, at its whole rate" })
      .toBeGreaterThan(0.97);
    await vera.goto("/hosts/sim-1");
    await expect(section(vera, "Maintenance")).toContainText("1, which goes on running");
    await expect(section(vera, "Maintenance")).toContainText("olga");
  });

  await test.step("the chain that names its host is moved by hand, and names the other one then", async () => {
    await olga.goto("/chains/pinned");
    await olga.getByRole("button", { name: "Move to host" }).click();
    const dialog = olga.getByRole("alertdialog");
    await expect(dialog).toContainText("Its ingress names sim-1");
    await dialog.getByRole("button", { name: /Host/ }).click();
    await olga.getByRole("option", { name: "sim-2" }).click();
    await dialog.getByRole("button", { name: "Plan the move" }).click();
    await applyShownPlan(olga);
    const { spec } = (await call<{ spec: { ingress: { host: string } } }>("GET", "/chains/pinned")).body;
    expect(spec.ingress.host).toBe("sim-2");
    await olga.goto("/hosts/sim-1");
    await expect(section(olga, "Maintenance")).toContainText("none: the host is empty");
  });

  await test.step("it is undone once the host is back in service, as a whole", async () => {
    await section(olga, "Maintenance").getByRole("button", { name: "Uncordon", exact: true }).click();
    const operations = (await call<{ items: { id: number; title: string }[] }>("GET", "/operations")).body.items;
    const drain = operations.find(({ title }) => title === "Drain sim-1");
    await olga.goto(`/operations/${drain?.id}`);
    await expect(section(olga, "Undo").getByRole("button", { name: /generation/ })).toHaveCount(0);
    await section(olga, "Undo").getByRole("button", { name: "Undo on all 2 hosts" }).click();
    await applyShownPlan(olga);
    expect(await hostsOf("web")).toEqual(["sim-1"]);
    expect(await hostsOf("pinned"), "moved by another operation").toEqual(["sim-2"]);
  });
});

/** A user whom the administrator creates by the page, signed in with a password of their own. */
async function joins(admin: Page, browser: Browser, name: string, role: string): Promise<Page> {
  await admin.goto("/users");
  const form = admin.getByRole("form", { name: "Create a user" });
  await form.getByLabel("Username").fill(name);
  await form.getByText(role, { exact: true }).click();
  await form.getByRole("button", { name: "Create user" }).click();
  const secret = await form.getByRole("status").locator("code").innerText();
  const context = await browser.newContext({ baseURL: installation().url, viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto("/");
  await page.getByLabel("Username").fill(name);
  await page.getByLabel("Password").fill(secret);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const chosen = page.getByRole("form", { name: "Change password" });
  await chosen.getByLabel("Current password").fill(secret);
  await chosen.getByLabel("New password").fill("a walk along the quay");
  await chosen.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByTestId("heat-map")).toBeVisible();
  return page;
}

async function tagOf(chain: string): Promise<string> {
  return (await call("GET", `/chains/${chain}`)).etag ?? "";
}

async function stateOf(chain: string): Promise<string> {
  return (await call<{ state: string }>("GET", `/chains/${chain}`)).body.state;
}

async function delivered(chain: string): Promise<number> {
  const { sample } = (await call<{ sample: { delivered_mpps: number } | null }>("GET", `/chains/${chain}`)).body;
  return sample?.delivered_mpps ?? 0;
}

async function hostsOf(chain: string): Promise<string[]> {
  const { items } = (await call<{ items: { seat: { host: string } }[] }>("GET", `/nfs?chain=${chain}`)).body;
  return [...new Set(items.map(({ seat }) => seat.host))];
}
