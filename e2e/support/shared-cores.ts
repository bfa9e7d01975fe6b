/** Small NFs on real cores that they share: a type that is measured alone, rates by parts of a core, packets that arrive. */
import { expect } from "@playwright/test";
import { call } from "./api.ts";
import { lately } from "./coco.ts";
import { sextant } from "./command.ts";
import { installation } from "./installation.ts";
import { query } from "./runner.ts";

export const SOON = { timeout: 60_000, intervals: [500] };

/** The command with these words, which has to succeed. */
export async function done(...args: string[]): Promise<string> {
  const found = await sextant(args);
  expect(found.status, `${args.join(" ")}: ${found.stderr}`).toBe(0);
  return found.stdout;
}

/** A type of the story's own; what its packet takes alone is measured, and its model in use afterwards. */
export async function registerAndPromote(name: string, config: object): Promise<void> {
  const registered = await call("POST", "/nf-types", {
    name,
    implementation: "simple-forward",
    config,
    short_name: "worker",
    summary: "A small NF of a story",
  });
  expect(registered.status, JSON.stringify(registered.body)).toBe(201);
  const asked = { nf_type: name, host: installation().hostId, most_competitors: 0, seconds: 0.3, max_samples: 5 };
  const job = await call<{ id: number }>("POST", "/profiling/jobs", { ...asked, half_width_percent: 5 });
  expect(job.status, JSON.stringify(job.body)).toBeLessThan(300);
  let fit: { id: number; state: string } | undefined;
  await expect(async () => {
    const { state } = (await call<{ state: string }>("GET", `/profiling/jobs/${job.body.id}`)).body;
    expect(state).toBe("COMPLETED");
    [fit] = (await call<{ items: { id: number; state: string }[] }>("GET", "/fits?limit=1&sort=-id")).body.items;
    expect(fit?.state).toBe("done");
  }).toPass({ timeout: 240_000, intervals: [500] });
  await done("models", "promote", String(fit?.id), "--yes");
}

/** Of a story that may have ended before it was registered. */
export async function forgetType(name: string): Promise<void> {
  const { etag } = await call("GET", `/nf-types/${name}`);
  const answer = await call("DELETE", `/nf-types/${name}`, undefined, etag ?? undefined);
  expect([204, 404]).toContain(answer.status);
}

/** Mpps that one of these NFs carries alone, by the model that is in use. */
export async function alone(type: string): Promise<number> {
  const { items } = (
    await call<{ items: { model: { ideal_mpps: { local: number } } }[] }>(
      "GET",
      `/models?nf_type=${type}&state=promoted`,
    )
  ).body;
  const mpps = items[0]?.model.ideal_mpps.local;
  expect(mpps).toBeGreaterThan(0);
  return mpps as number;
}

/** Mpps that take this part of a core, alone. */
export const rateOf = (share: number, mpps: number) => Number((share * mpps).toPrecision(3));

/** For three seconds all that was offered arrived, and no NF has lost a packet. */
export async function carries(rates: ReadonlyMap<string, number>): Promise<void> {
  await expect(async () => {
    for (const [chain, rate] of rates) {
      for (const [, offered, delivered] of await lately(chain)) {
        expect(offered, chain).toBeGreaterThan(0.9 * rate);
        expect(delivered, chain).toBeGreaterThan(0.9 * rate);
      }
    }
  }).toPass(SOON);
  const { chains, nfs } = await query();
  expect(nfs.filter(({ drops }) => drops > 0)).toEqual([]);
  expect(chains.filter(({ misordered, damaged }) => misordered + damaged > 0)).toEqual([]);
}
