/** An objective is missed: the top bar and the page say so, a webhook hears of it, signed; once silenced, nobody does. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { call, clear, place } from "../support/api.ts";
import { expect, section, testSimulated as test } from "../support/console.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}
interface AlertView {
  state: string;
  object_name: string;
}
interface DeliveryView {
  state: string;
  event: string;
}

const CHAIN = "watched";
const SPEC = {
  name: CHAIN,
  nfs: ["simple-forward"],
  ingress: { host: "sim-1" },
  traffic: { rate_mpps: 1, packet_bytes: 128 },
  slo: { min_throughput_mpps: 0.9 },
};

test.describe.configure({ mode: "serial" });

let server: Server;
let secret: string;
const received: Received[] = [];

test.beforeAll(async () => {
  await clear();
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  await place(SPEC);
});
test.afterAll(async () => {
  await withoutChannels();
  await new Promise((closed) => server.close(closed));
});

/** What other stories do is not sent here. */
async function withoutChannels(): Promise<void> {
  const { items } = (await call<{ items: { id: number }[] }>("GET", "/notification-channels")).body;
  for (const { id } of items) {
    const path = `/notification-channels/${id}`;
    const { etag } = await call("GET", path);
    expect((await call("DELETE", path, undefined, etag ?? undefined)).status).toBe(204);
  }
}

const chainAlerts = async () =>
  (await call<{ items: AlertView[] }>("GET", `/alerts?kind=slo_violated&object_name=${CHAIN}`)).body.items;

/** As the guide for receivers says. */
function isGenuine({ headers, body }: Received): boolean {
  const [timestamp, delivery] = [headers["sextant-timestamp"], headers["sextant-delivery"]];
  const signed = createHmac("sha256", secret).update(`${timestamp}.${delivery}.${body}`).digest("hex");
  const given = Buffer.from(String(headers["sextant-signature"]));
  const wanted = Buffer.from(`v1=${signed}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

test("an administrator adds a webhook; a private address is refused until its network is allowed", async ({ page }) => {
  const { port } = server.address() as AddressInfo;
  await page.goto("/alerts");
  await page.getByRole("button", { name: "Add a channel" }).click();
  const form = page.getByRole("form", { name: "New channel" });
  await form.getByLabel("Name").fill("ops");
  await form.getByLabel("Address").fill(`http://127.0.0.1:${port}/hook`);
  await page.getByRole("button", { name: "Add channel" }).click();
  await expect(form.getByText(/is private, and in none of the networks that are allowed/).first()).toBeVisible();

  const settings = await call("GET", "/notification-settings");
  const allowed = { allowed_networks: ["127.0.0.0/8"] };
  expect((await call("PUT", "/notification-settings", allowed, settings.etag ?? undefined)).status).toBe(200);
  await page.getByRole("button", { name: "Add channel" }).click();
  secret = await form.getByRole("status").locator("code").innerText();
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole("button", { name: "Close", exact: true }).click();

  await section(page, "Channels").getByRole("button", { name: "Test ops" }).click();
  await expect.poll(() => received.length, { timeout: 30_000 }).toBe(1);
  const [test] = received.splice(0) as [Received];
  expect(test.headers["sextant-event"]).toBe("test");
  expect(isGenuine(test)).toBe(true);
  await expect(section(page, "Deliveries").getByText(/^delivered/)).toBeVisible();
});

test("a violated objective is in the top bar, on the page and at the webhook, with a valid signature", async ({
  page,
}) => {
  const rule = await call("GET", "/alert-rules/slo_violated");
  const quick = { fire_after_s: 5, resolve_after_s: 5 };
  expect((await call("PATCH", "/alert-rules/slo_violated", quick, rule.etag ?? undefined)).status).toBe(200);
  const host = await call<{ inventory: { ports: { name: string }[] } }>("GET", "/hosts/sim-1");
  const ports = host.body.inventory.ports.map(({ name }) => name);
  for (const port of ports) {
    await call("POST", "/hosts/sim-1/faults", { fault: { kind: "nic-flap", port, seconds: 60 } });
  }
  await page.goto("/");
  await expect(page.getByTestId("alerts-mark")).toContainText("1 critical", { timeout: 60_000 });
  await page.getByTestId("alerts-mark").click();
  const row = page.getByRole("table", { name: "Alerts" }).getByRole("row").filter({ hasText: CHAIN });
  await expect(row.getByRole("rowheader")).toContainText(`${CHAIN} misses its objective`);

  await expect.poll(() => received.length, { timeout: 60_000 }).toBe(1);
  const [message] = received as [Received];
  expect(isGenuine(message)).toBe(true);
  expect(isGenuine({ ...message, body: `${message.body} ` })).toBe(false);
  const said = JSON.parse(message.body);
  expect(said.event).toBe("alert.fired");
  expect(said.alerts[0].object_name).toBe(CHAIN);
});

test("the operator silences it: it leaves the top bar, and nothing more is sent, not even its end", async ({
  page,
}) => {
  test.setTimeout(240_000);
  await page.goto("/alerts");
  await page.getByRole("button", { name: `Silence ${CHAIN} misses its objective` }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Why").fill("its link is being replaced");
  await dialog.getByRole("button", { name: "Silence" }).click();
  await expect(section(page, "Silences").getByText("its link is being replaced")).toBeVisible();
  await expect(page.getByTestId("alerts-mark")).toHaveText("Alerts");

  await expect
    .poll(async () => (await chainAlerts()).map(({ state }) => state), { timeout: 150_000, intervals: [1_000] })
    .toEqual(["resolved"]);
  const open = async () =>
    (await call<{ items: DeliveryView[] }>("GET", "/notification-deliveries?state=waiting")).body.items.length;
  await expect.poll(open, { timeout: 60_000 }).toBe(0);
  expect(received).toHaveLength(1);
  const sent = (await call<{ items: DeliveryView[] }>("GET", "/notification-deliveries")).body.items;
  expect(sent.map(({ event, state }) => `${event} ${state}`)).toEqual(["alert.fired delivered", "test delivered"]);
});
