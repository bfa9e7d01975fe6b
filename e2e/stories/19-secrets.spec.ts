/** A VPN's key: written in the browser or brought by the command line, on real packets, and nowhere to be found. */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { call, clear } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { applyShownPlan, draftChain, expect, section, test } from "../support/console.ts";
import { everyAnswer, filesWith, processesWith, streamUntil } from "../support/everywhere.ts";
import { installation } from "../support/installation.ts";
import { query } from "../support/runner.ts";
import { packetsFlow } from "../support/truth.ts";

test.beforeEach(clear);

/** As it is, and as a dump of bytes would write it. */
function formsOf(key: string): string[] {
  return [key, key.toUpperCase(), Buffer.from(key).toString("hex")];
}

interface ChainAnswer {
  spec: { nfs: { name: string; config: Record<string, unknown> }[] };
}

async function referenceOf(chain: string): Promise<string> {
  const answer = await call<ChainAnswer>("GET", `/chains/${chain}`);
  return String(answer.body.spec.nfs.find(({ name }) => name === "vpn")?.config.key);
}

test("a key written in the browser reaches the NF, and is in no answer, event, file, log or process", async ({
  page,
}) => {
  const key = randomBytes(20).toString("hex");
  await draftChain(page, "tunnel", ["vpn"], "0.02");
  await section(page, "NF 1").getByLabel("key (secret)").fill(key);
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain(key);
  await page.getByRole("button", { name: "Submit and plan" }).click();
  await expect(page).toHaveURL(/\/plans\/\d+$/);
  await applyShownPlan(page);
  await packetsFlow("tunnel");
  const reference = await referenceOf("tunnel");
  expect(reference).toMatch(/^secret:[0-9a-f]{32}$/);

  const host = installation().hostId;
  const names = { name: "tunnel", nf_id: "tunnel.vpn", host_id: host, digest: `sha256:${"0".repeat(64)}` };
  const found = (text: string) => formsOf(key).some((form) => text.includes(form));
  const answers = await everyAnswer(names);
  expect(answers.filter(([, text]) => text.includes(reference)).length).toBeGreaterThan(2);
  expect(answers.filter(([, text]) => found(text)).map(([path]) => path)).toEqual([]);
  expect(found(await streamUntil(reference))).toBe(false);
  expect(processesWith(formsOf(key))).toEqual([]);
  await expect.poll(() => filesWith(formsOf(key))).toEqual([`agent/${host}/ledger.json`]);
});

test("the command line brings one, and the other end decrypts with its reference", async () => {
  const key = randomBytes(20).toString("hex");
  const file = join(installation().data, "tunnel.key");
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  const submitted = await sextant([
    ...["chains", "submit", "examples/chains/tunnel.yaml", "--apply", "--wait"],
    ...["--secret", `vpn.key=${file}`],
  ]);
  expect(submitted.status, submitted.stderr).toBe(0);
  expect((await sextant(["chains", "show", "tunnel"])).stdout).toContain("vpn.key: secret, set");

  const end = (name: string, mode: string, reference: string) => ({
    ...{ type: "vpn", name, config: { mode, form: "tunnel", key: reference } },
  });
  const reference = await referenceOf("tunnel");
  const both = {
    ...{ apiVersion: "sextant/v1", kind: "Chain", name: "both", traffic: { rate_mpps: 0.02, packet_bytes: 256 } },
    nfs: [end("there", "encrypt", reference), end("back", "decrypt", reference)],
  };
  const run = await sextant(["chains", "submit", "-", "--apply", "--wait"], {}, JSON.stringify(both));
  expect(run.status, run.stderr).toBe(0);
  await packetsFlow("both");
  expect((await query()).nfs.find(({ nf }) => nf === "both.back")?.filtered).toBe(0);
  expect(submitted.stdout + submitted.stderr + run.stdout + run.stderr).not.toContain(key);
});
