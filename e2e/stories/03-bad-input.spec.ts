/** Bad input: reported beside its field, and nothing is stored. */
import { call, chain, clear, submit } from "../support/api.ts";
import { chainName, draftChain, expect, section, test } from "../support/console.ts";

test.beforeEach(clear);

test("what the form can see is reported before anything is sent", async ({ page }) => {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") sent.push(request.url());
  });
  await draftChain(page, "Not A Name", [], "-1");
  await page.getByLabel("Packet size").fill("20");
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(section(page, "Intent").getByText("lower case, digits and hyphens")).toBeVisible();
  await expect(chainName(page)).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByText("at least 0", { exact: true })).toBeVisible();
  await expect(page.getByText("at least 64", { exact: true })).toBeVisible();
  await expect(page.getByText("add at least one NF")).toBeVisible();
  expect(sent).toEqual([]);
});

test("what only the server can see is reported beside the same fields", async ({ page }) => {
  await submit(chain("taken"));
  await draftChain(page, "taken", ["firewall"]);
  await page.getByRole("textbox", { name: "Configuration" }).fill('{"default_action": "explode"}');
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page.getByText(/default_action: .*explode/)).toBeVisible();
  await page.getByRole("textbox", { name: "Configuration" }).fill("");
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(section(page, "Intent").getByText("choose another name, or delete that chain")).toBeVisible();
  const stored = await call<{ items: object[] }>("GET", "/chains");
  expect(stored.body.items).toHaveLength(1);
});

test("what is wrong behind the disclosure opens it", async ({ page }) => {
  await draftChain(page, "bad-mix", ["firewall"]);
  const more = page.getByText("Sizes, arrivals, flows, payload");
  await more.click();
  await section(page, "Traffic").getByRole("radio", { name: "List" }).click();
  await page.getByLabel("List").fill("64:7, 20:1");
  await more.click();
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page.getByText("'20:1': at least 64")).toBeVisible();
});

const TRAFFIC = { rate_mpps: 0.1, packet_bytes: 64 };

for (const [what, body, status, field] of [
  ["an unknown NF type", { name: "a", nfs: ["teleporter"], traffic: TRAFFIC }, 422, "nfs.0.type"],
  ["an empty name", { name: "", nfs: ["router"], traffic: TRAFFIC }, 422, "name"],
  ["an absurd rate", { name: "a", nfs: ["router"], traffic: { ...TRAFFIC, rate_mpps: 1e9 } }, 422, "traffic.rate_mpps"],
  ["10,000 NFs", { name: "a", nfs: Array(10_000).fill("router"), traffic: TRAFFIC }, 422, "nfs"],
  ["a list for a text", { name: ["a"], nfs: ["router"], traffic: TRAFFIC }, 422, "name"],
  ["a name used twice", { name: "a", nfs: [nf("x"), nf("x")], traffic: TRAFFIC }, 422, "nfs.1.name"],
] as const) {
  test(`the API refuses ${what} and names the field`, async () => {
    const answer = await call<{ type: string; errors: { field: string }[] }>("POST", "/chains", body);
    expect(answer.status).toBe(status);
    expect(answer.body.type).toBe("urn:sextant:problem:validation");
    expect(answer.body.errors.map((error) => error.field)).toEqual([field]);
    expect((await call<{ items: object[] }>("GET", "/chains")).body.items).toEqual([]);
  });
}

test("a body of more than a mebibyte is refused unread", async () => {
  const answer = await call<{ type: string }>("POST", "/chains", { name: "a".repeat(2 ** 20) });
  expect([answer.status, answer.body.type]).toEqual([413, "urn:sextant:problem:body-too-large"]);
});

test("a write of the browser without its CSRF token is refused, and so is one without a session", async ({
  context,
}) => {
  const withCookie = await context.request.post("/api/v1/chains", { data: chain("forged") });
  expect([withCookie.status(), (await withCookie.json()).type]).toEqual([403, "urn:sextant:problem:csrf"]);
  await context.clearCookies();
  const withNothing = await context.request.post("/api/v1/chains", { data: chain("forged") });
  expect(withNothing.status()).toBe(401);
  expect((await call("GET", "/chains/forged")).status).toBe(404);
});

function nf(name: string): object {
  return { type: "router", name };
}
