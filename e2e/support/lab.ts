/** Studies of the lab, as small as they say something. */
import { expect } from "@playwright/test";
import { call } from "./api.ts";

export interface Study {
  id: number;
  state: string;
  repeated: { equal: boolean; differs: string[] } | null;
}

/** Two NFs, one set, two algorithms, a run a seed. */
export const SCENARIO = `name = "story"
summary = "Does it matter who places two chains?"
kind = "placement"
algorithms = ["exact", "node_balance"]
seeds = [1, 2]

[server]
machine = "xeon-e5-2650-v4"

[profiling]
upstream = "router"

[[nf]]
name = "router"

[[nf]]
name = "firewall"

[[set]]
name = "edge"
chains = [["router", "firewall"], ["firewall", "router"]]
`;

export async function startStudy(toml: string): Promise<number> {
  const answer = await call<Study>("POST", "/studies", { scenario_toml: toml });
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body.id;
}

export async function studyIs(id: number, state: string): Promise<Study> {
  let study: Study | undefined;
  await expect(async () => {
    study = (await call<Study>("GET", `/studies/${id}`)).body;
    expect(study.state).toBe(state);
  }).toPass({ timeout: 60_000, intervals: [200] });
  return study as Study;
}

/** Ends and removes every study. */
export async function forgetStudies(): Promise<void> {
  const { body } = await call<{ items: Study[] }>("GET", "/studies?limit=200");
  for (const { id, state } of body.items) {
    if (state === "queued" || state === "running") {
      await call("POST", `/studies/${id}/cancellation`);
      await studyIs(id, "cancelled");
    }
    const { etag } = await call<Study>("GET", `/studies/${id}`);
    expect((await call("DELETE", `/studies/${id}`, undefined, etag ?? undefined)).status).toBe(204);
  }
}
