/** The `sextant` command against the real console: the tour of the README, and its exit statuses. */
import { chain, clear, type NfView } from "../support/api.ts";
import { sextant } from "../support/command.ts";
import { expect, test } from "../support/console.ts";
import { affinity } from "../support/processes.ts";
import { query } from "../support/runner.ts";
import { hostRuns } from "../support/truth.ts";

test.beforeEach(clear);

test("the README's tour: doctor, submit, apply, measured figures, migrate, delete", async () => {
  const doctor = await sextant(["doctor"]);
  expect(doctor, doctor.stdout).toMatchObject({ status: 0 });
  const submitted = await sextant(["chains", "submit", "examples/chains/edge.yaml"]);
  expect(submitted.status, submitted.stderr).toBe(0);
  const plan = /sextant plans apply (\d+) --wait/.exec(submitted.stdout)?.[1];
  const applied = await sextant(["plans", "apply", plan as string, "--wait"]);
  expect(applied.status, applied.stderr).toBe(0);
  await expect(async () => {
    const row = (await sextant(["hosts"])).stdout.split("\n").find((line) => line.startsWith("edge-1"));
    const [, status, mpps, used] = row?.split(/\s{2,}/) ?? [];
    expect([status, used]).toEqual(["up", "3/10"]);
    expect(Number(mpps)).toBeGreaterThan(0.05);
  }).toPass({ timeout: 60_000 });
  expect((await sextant(["chains", "list"])).stdout).toMatch(/edge +running .* 0\.\d+ .* (us|ms)/);

  const moved = await sextant(["migrate", "edge.firewall", "--core", "0", "--apply", "--wait"]);
  expect(moved.status, moved.stderr).toBe(0);
  const pid = (await query()).nfs.find(({ nf }) => nf === "edge.firewall")?.pid as number;
  expect(affinity(pid)).toEqual(["0"]);
  // What is reported of the host comes from its last sample, once a second.
  await expect.poll(reportedCore).toBe(0);

  const deleted = await sextant(["chains", "delete", "edge", "--wait"]);
  expect(deleted.status, deleted.stderr).toBe(0);
  expect((await query()).chains).toEqual([]);
});

test("chains submitted at once on one host all run: whoever comes second plans again", async () => {
  const { desired_generation: generation } = JSON.parse((await sextant(["hosts", "edge-1", "-o", "json"])).stdout);
  const names = ["red", "green", "blue"];
  const runs = names.map((name) => {
    const file = JSON.stringify({ apiVersion: "sextant/v1", kind: "Chain", ...chain(name) });
    return sextant(["chains", "submit", "-", "--apply", "--wait"], {}, file);
  });
  for (const { status, stderr } of await Promise.all(runs)) expect(status, stderr).toBe(0);
  await hostRuns(names, generation + names.length);
});

test("exit statuses: 1 no room, 2 bad input, 3 away, 4 refused", async () => {
  const crowd = await sextant(["chains", "submit", "examples/chains/no-room.yaml", "--apply", "--wait"]);
  expect(crowd.status).toBe(1);
  expect(crowd.stdout).toMatch(/no room for no-room: /);

  const unknown = JSON.stringify({ apiVersion: "sextant/v1", kind: "Chain", ...chain("odd", ["teleporter"]) });
  const refused = await sextant(["chains", "submit", "-"], {}, unknown);
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain("nfs.0.type: there is no NF type 'teleporter'");

  expect((await sextant(["hosts"], { SEXTANT_URL: "http://127.0.0.1:9" })).status).toBe(3);
  expect((await sextant(["hosts"], { SEXTANT_TOKEN: "sxt_not-a-token" })).status).toBe(4);
});

async function reportedCore(): Promise<number | null | undefined> {
  const listed = JSON.parse((await sextant(["nfs", "--chain", "edge", "-o", "json"])).stdout) as { items: NfView[] };
  return listed.items.find(({ nf_id }) => nf_id === "edge.firewall")?.actual_core;
}
