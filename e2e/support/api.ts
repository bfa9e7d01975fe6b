/** The API as the command line uses it: for what a story needs but is not about. */
import { expect } from "@playwright/test";
import { installation } from "./installation.ts";

export interface Answer<T> {
  status: number;
  body: T;
  etag: string | null;
}

export async function call<T>(method: string, path: string, body?: unknown, ifMatch?: string): Promise<Answer<T>> {
  const { url, token } = installation();
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method === "POST") headers["idempotency-key"] = crypto.randomUUID();
  if (ifMatch !== undefined) headers["if-match"] = ifMatch;
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? (undefined as T) : JSON.parse(text),
    etag: response.headers.get("etag"),
  };
}

export interface Plan {
  id: number;
  state: string;
  digest: string;
}

export interface Operation {
  id: number;
  state: string;
  hosts: { host: string; from_generation: number; to_generation: number }[];
}

export interface NfView {
  nf_id: string;
  seat: { host: string; node: number; core: number; slot: number };
  actual_core: number | null;
  state: string | null;
}

export interface ChainView {
  spec: { name: string };
  state: string;
  plan_id: number | null;
  sample: { delivered_mpps: number; p95_us: number | null } | null;
}

/** A chain file's content, small enough for two cores. */
export function chain(name: string, nfs: string[] = ["simple-forward"]): object {
  return { name, nfs, traffic: { rate_mpps: 0.02, packet_bytes: 128 } };
}

export async function submit(spec: object): Promise<number> {
  const answer = await call<{ plan_id: number }>("POST", "/chains", spec);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  await planIs(answer.body.plan_id, "proposed");
  return answer.body.plan_id;
}

export async function planIs(id: number, state: string): Promise<Plan> {
  let plan: Plan | undefined;
  await expect(async () => {
    plan = (await call<Plan>("GET", `/plans/${id}`)).body;
    expect(plan.state).toBe(state);
  }).toPass({ timeout: 60_000, intervals: [100] });
  return plan as Plan;
}

export async function apply(planId: number): Promise<Answer<Operation>> {
  const plan = (await call<Plan>("GET", `/plans/${planId}`)).body;
  return call<Operation>("POST", `/plans/${planId}/apply`, undefined, `"${plan.digest}"`);
}

export async function operationIs(id: number, state: string): Promise<Operation> {
  let operation: Operation | undefined;
  await expect(async () => {
    operation = (await call<Operation>("GET", `/operations/${id}`)).body;
    expect(operation.state).toBe(state);
  }).toPass({ timeout: 60_000, intervals: [100] });
  return operation as Operation;
}

/** Submitted, applied and running. */
export async function place(spec: object): Promise<void> {
  const answer = await apply(await submit(spec));
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  await operationIs(answer.body.id, "COMPLETED");
}

/** Stores a file and gives its digest. */
export async function store(name: string, kind: string, content: string): Promise<string> {
  const { url, token } = installation();
  const response = await fetch(`${url}/api/v1/artefacts?${new URLSearchParams({ name, kind })}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "idempotency-key": crypto.randomUUID() },
    body: content,
  });
  expect([200, 201]).toContain(response.status);
  return ((await response.json()) as { digest: string }).digest;
}

/** Takes every chain away, so that a story starts on an empty host. */
export async function clear(): Promise<void> {
  const page = await call<{ items: ChainView[] }>("GET", "/chains?limit=200");
  for (const { spec } of page.body.items) await remove(spec.name);
}

/** Where another operation is at work on its host, once that has ended: a law may have begun one. */
async function remove(chain: string): Promise<void> {
  let operation: number | undefined;
  await expect(async () => {
    const found = await call<ChainView>("GET", `/chains/${chain}`);
    if (found.status === 404) return;
    const answer = await call<Operation | undefined>("DELETE", `/chains/${chain}`, undefined, found.etag ?? undefined);
    expect([202, 204], JSON.stringify(answer.body)).toContain(answer.status);
    operation = answer.status === 202 ? answer.body?.id : undefined;
  }).toPass({ timeout: 60_000, intervals: [250] });
  if (operation !== undefined) await operationIs(operation, "COMPLETED");
}
