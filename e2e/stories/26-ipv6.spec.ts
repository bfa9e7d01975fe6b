/** A chain of IPv6 from the designer to real packets, and one from a chain file. */
import { clear } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, draftChain, expect, test } from "../support/console.ts";
import { query } from "../support/runner.ts";

test.beforeEach(clear);

/** Once it has carried a thousand packets; the runner checks their order and their checksums. */
async function carries(chain: string): Promise<void> {
  await expect(async () => {
    const found = (await query()).chains.find((one) => one.chain === chain);
    expect(found?.delivered).toBeGreaterThan(1000);
    expect([found?.misordered, found?.damaged]).toEqual([0, 0]);
  }).toPass({ timeout: 60_000 });
}

test("prefixes of two families are refused beside the field; of one they are stored in canonical form", async ({
  page,
}) => {
  await draftChain(page, "six", ["router", "firewall"]);
  await page.getByLabel("Source", { exact: true }).fill("2001:0DB8:A::/48");
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page.getByText("a match has one address family")).toBeVisible();
  await page.getByLabel("Destination", { exact: true }).fill("fe80::/64");
  await expect(page.getByText("its addresses are link-local")).toBeVisible();
  await page.getByLabel("Destination", { exact: true }).fill("2001:db8:B:0::/64");
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await applyShownPlan(page);
  await carries("six");
  await page.goto("/chains/six");
  await expect(page.getByText("udp 2001:db8:a::/48 → 2001:db8:b::/64")).toBeVisible();
});

test("the example of a chain file runs, and the command shows its match", async () => {
  const applied = await sextant(["chains", "submit", "examples/chains/ipv6-edge.yaml", "--apply", "--wait"]);
  expect(applied.status, applied.stderr).toBe(0);
  await carries("ipv6-edge");
  const shown = await sextant(["chains", "show", "ipv6-edge"]);
  expect(shown.stdout).toContain("udp 2001:db8:a::/48 -> 2001:db8:b::/48 port 53");
  const scanned = (await query()).nfs.find(({ nf }) => nf === "ipv6-edge.nids");
  expect(Number(scanned?.details.scanned_packets)).toBeGreaterThan(1000);
  expect(scanned?.details.unscanned_packets).toBe(0);
});
