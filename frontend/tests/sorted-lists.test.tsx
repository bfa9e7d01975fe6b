/** Lists that come page by page: their heads ask the server, and its order is the one shown. */

import { readFileSync } from "node:fs";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import {
  ALERT_SORTS,
  ARTEFACT_SORTS,
  AUDIT_SORTS,
  CHANNEL_SORTS,
  COMPARISON_SORTS,
  DELIVERY_SORTS,
  OPERATION_SORTS,
  POLICY_SORTS,
  PROFILING_SORTS,
  RACE_SORTS,
  RECOMMENDATION_SORTS,
  RULE_SORTS,
  SESSION_SORTS,
  SILENCE_SORTS,
  STUDY_SORTS,
  TIMELINE_SORTS,
  TOKEN_SORTS,
  USER_SORTS,
  WINDOW_SORTS,
} from "@/api/sorts";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { accountSearch, alertsSearch, operationsSearch, plansSearch } from "@/pages/searches";
import { operation, snapshot } from "./fixtures";

interface Parameter {
  readonly name: string;
  readonly schema: { readonly enum?: readonly string[] };
}

/** A list as the document of the API has it: its example's rows, and what it can be sorted by. */
function documented(id: string) {
  const { path, parameters, example } = answered(id);
  return { path, items: example.items, sorts: parameters.find(({ name }) => name === "sort")?.schema.enum ?? [] };
}

function answered(id: string) {
  for (const [path, { get }] of Object.entries<Listed>(DOCUMENT.paths)) {
    if (get?.operationId !== id) continue;
    const { example } = get.responses["200"].content["application/json"];
    return { path, parameters: get.parameters ?? [], example };
  }
  throw new Error(`the document has no ${id}`);
}

interface Listed {
  readonly get?: {
    readonly operationId: string;
    readonly parameters?: readonly Parameter[];
    readonly responses: { "200": { content: { "application/json": { example: { items: unknown[] } } } } };
  };
}

const DOCUMENT: { paths: Record<string, Listed> } = JSON.parse(readFileSync("../docs/openapi.json", "utf8"));

const wire = vi.hoisted(() => {
  const state = {
    asked: [] as string[],
    items: {} as Record<string, unknown[]>,
    list: null as { path: string; items: unknown[]; asked: string[] } | null,
    /** What else the page asks for, by path. */
    beside: new Map<string, unknown>(),
  };
  vi.stubGlobal("fetch", (asked: Request | string) => {
    const url = new URL(typeof asked === "string" ? asked : asked.url, "http://console");
    const sort = url.searchParams.get("sort") ?? "";
    if (url.pathname === state.list?.path) {
      state.list.asked.push(url.search);
      return Promise.resolve(Response.json({ items: state.list.items, next: null }));
    }
    if (url.pathname.endsWith("/operations")) {
      state.asked.push(sort);
      return Promise.resolve(Response.json({ items: state.items[sort] ?? [], next: null }));
    }
    if (state.beside.has(url.pathname)) return Promise.resolve(Response.json(state.beside.get(url.pathname)));
    const session = {
      username: "ada",
      role: "admin",
      csrf_token: "t",
      expires_at: "2036-01-01T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    return url.pathname.includes("/auth/session")
      ? Promise.resolve(Response.json(session))
      : new Promise<Response>(() => {});
  });
  return state;
});

afterEach(() => {
  cleanup();
  wire.list = null;
});

const POLICIES = "Policies of hosts and chains";
const WINDOWS = "Maintenance windows";
/** What an example has to be for its row to be in the table. */
const SHOWN: Record<string, object> = { listPolicies: { scope: "host", name: "edge-1" } };

/** The console at that address. */
async function open(address: string) {
  const client = new QueryClient();
  history.pushState(null, "", address);
  const router = createAppRouter(client);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  return router;
}

const rows = () =>
  within(screen.getByRole("table", { name: "Operations" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.children[0]?.textContent);

it("asks for one way, the other, and the list's own order, and shows rows as they were sorted", async () => {
  const [waits, ended, runs] = [
    operation(3, { state: "FAILED_TEMP" }),
    operation(4, { state: "COMPLETED", finished_at: "2026-03-01T10:00:00Z" }),
    operation(5),
  ];
  wire.items = { "": [runs, ended, waits], "-finished_at": [ended, waits, runs], finished_at: [runs, waits, ended] };
  const router = await open("/operations");
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await screen.findByRole("button", { name: "Ended" });
  expect(rows()).toEqual(["3", "5", "4"]); // what waits for somebody first, then the newest
  for (const [sort, ids, way] of [
    ["-finished_at", ["4", "3", "5"], "descending"],
    ["finished_at", ["5", "3", "4"], "ascending"],
    [undefined, ["3", "5", "4"], "none"],
  ] as const) {
    await userEvent.click(screen.getByRole("button", { name: "Ended" }));
    await vi.waitFor(() => expect(rows()).toEqual(ids));
    expect(router.state.location.search).toEqual(sort ? { sort } : {});
    expect(screen.getByRole("columnheader", { name: "Ended" }).getAttribute("aria-sort")).toBe(way);
  }
  expect(wire.asked.slice(0, 3)).toEqual(["", "-finished_at", "finished_at"]);
});

it.each([
  ["/audit?actor=ada", "listAudit", "Audit log", "Actor", ["actor", "-actor"]],
  ["/artefacts?kind=rules", "listArtefacts", "Artefacts", "Size", ["-size_bytes", "size_bytes"]],
  ["/profiling?type=firewall", "listProfilingJobs", "Profiling jobs", "Host", ["host", "-host"]],
  ["/studies?state=queued", "listStudies", "Studies", "Name", ["name", "-name"]],
  ["/users", "listUsers", "Users", "Role", ["role", "-role"]],
  ["/alerts?severity=critical", "listAlerts", "Alerts", "Severity", ["-severity", "severity"]],
] as const)("%s is sorted by its heads, and stays narrowed to what it was", async (address, id, table, head, ways) => {
  const { path, items } = documented(id);
  wire.list = { path, items, asked: [] };
  const router = await open(address);
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await screen.findByRole("table", { name: table });
  const narrowed = router.state.location.search;
  for (const sort of [...ways, undefined]) {
    const heads = within(screen.getByRole("table", { name: table }));
    await userEvent.click(heads.getByRole("button", { name: head }));
    await vi.waitFor(() => expect(router.state.location.search).toEqual(sort ? { ...narrowed, sort } : narrowed));
    if (sort) await vi.waitFor(() => expect(wire.list?.asked.at(-1)).toContain(`sort=${sort}`));
    const way = sort === undefined ? "none" : sort.startsWith("-") ? "descending" : "ascending";
    await vi.waitFor(() => {
      const shown = within(screen.getByRole("table", { name: table })).getByRole("columnheader", { name: head });
      expect(shown.getAttribute("aria-sort")).toBe(way);
    });
  }
});

it.each([
  ["/account", "listSessions", "Sessions", "Ends", "sessions", ["expires_at", "-expires_at"], { tokens: "role" }],
  ["/account", "listTokens", "API tokens", "Name", "tokens", ["name", "-name"], { sessions: "-last_used_at" }],
  ["/alerts", "listSilences", "Silences", "Until", "silences", ["until", "-until"], { sort: "kind" }],
  ["/alerts", "listChannels", "Channels", "To", "channels", ["target", "-target"], { severity: "critical" }],
  ["/alerts", "listDeliveries", "Deliveries", "Channel", "deliveries", ["channel", "-channel"], { rules: "title" }],
  ["/alerts", "listAlertRules", "Rules", "Severity", "rules", ["-severity", "severity"], { deliveries: "state" }],
  ["/automation", "listPolicies", POLICIES, "Policy", "policies", ["mode", "-mode"], { windows: "host" }],
  [
    "/automation",
    "listMaintenanceWindows",
    WINDOWS,
    "From",
    "windows",
    ["starts_at", "-starts_at"],
    { timeline: "actor" },
  ],
  ["/automation", "listTimeline", "Timeline", "When", "timeline", ["at", "-at"], { tab: "coco", policies: "name" }],
  ["/plans/compare", "listRaces", "Races", "State", "races", ["state", "-state"], { comparisons: "-label" }],
  [
    "/plans/compare",
    "listComparisons",
    "Comparisons",
    "Snapshot",
    "comparisons",
    ["label", "-label"],
    { source: "file", find: "fleet", races: "state", ranking: "-margin" },
  ],
  [
    "/automation",
    "listRecommendations",
    "Recommendations",
    "Made",
    "recommendations",
    ["-created_at", "created_at"],
    { tab: "octans", recommended: "accepted", timeline: "at" },
  ],
] as const)("%s: %s is sorted by its heads, and what else the address says stays", async (...given) => {
  const [address, id, table, head, key, ways, other] = given;
  const { path, items } = documented(id);
  wire.list = { path, items: items.map((item) => ({ ...(item as object), ...SHOWN[id] })), asked: [] };
  for (const beside of ["getAutomation", "rankAlgorithms"]) {
    const { path: of, example } = answered(beside);
    wire.beside.set(of, example);
  }
  const router = await open(`${address}?${new URLSearchParams(other)}`);
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await screen.findByRole("table", { name: table });
  for (const sort of [...ways, undefined]) {
    const heads = within(screen.getByRole("table", { name: table }));
    await userEvent.click(heads.getByRole("button", { name: head }));
    await vi.waitFor(() => expect(router.state.location.search).toEqual(sort ? { ...other, [key]: sort } : other));
    if (sort) await vi.waitFor(() => expect(wire.list?.asked.at(-1)).toContain(`sort=${sort}`));
    const way = sort === undefined ? "none" : sort.startsWith("-") ? "descending" : "ascending";
    const shown = () => within(screen.getByRole("table", { name: table })).getByRole("columnheader", { name: head });
    await vi.waitFor(() => expect(shown().getAttribute("aria-sort")).toBe(way));
  }
});

it.each([
  ["listAlertRules", RULE_SORTS],
  ["listAlerts", ALERT_SORTS],
  ["listArtefacts", ARTEFACT_SORTS],
  ["listAudit", AUDIT_SORTS],
  ["listChannels", CHANNEL_SORTS],
  ["listComparisons", COMPARISON_SORTS],
  ["listDeliveries", DELIVERY_SORTS],
  ["listMaintenanceWindows", WINDOW_SORTS],
  ["listOperations", OPERATION_SORTS],
  ["listPolicies", POLICY_SORTS],
  ["listProfilingJobs", PROFILING_SORTS],
  ["listRaces", RACE_SORTS],
  ["listRecommendations", RECOMMENDATION_SORTS],
  ["listSessions", SESSION_SORTS],
  ["listSilences", SILENCE_SORTS],
  ["listStudies", STUDY_SORTS],
  ["listTimeline", TIMELINE_SORTS],
  ["listTokens", TOKEN_SORTS],
  ["listUsers", USER_SORTS],
] as const)("an address may say all ways that the server knows of %s", (id, sorts) => {
  expect([...sorts].sort()).toEqual([...documented(id).sorts].sort());
});

it("takes from an address only what the server sorts by", () => {
  expect(operationsSearch({ sort: "-started_at" })).toEqual({ sort: "-started_at" });
  expect(operationsSearch({ sort: "title", state: "done", host: "Edge 1" })).toEqual({});
  expect(plansSearch({ sort: "-changes" })).toEqual({ sort: "-changes" });
  expect(plansSearch({ sort: "started_at" })).toEqual({});
  expect(accountSearch({ sessions: "name", tokens: "name" })).toEqual({ tokens: "name" });
  const asked = { sort: "severity", silences: "reason", channels: "target", deliveries: ["state"], rules: "-title" };
  expect(alertsSearch(asked)).toEqual({ sort: "severity", channels: "target", rules: "-title" });
});

it.each([
  ["/plans/compare", "listComparisons", "Which comparisons", "Of a file", "source=file"],
  ["/automation", "listRecommendations", "State", "Withdrawn", "state=withdrawn"],
] as const)(
  "%s: %s is narrowed where it is asked, and says so in the address",
  async (address, id, group, key, query) => {
    const { path, items } = documented(id);
    wire.list = { path, items, asked: [] };
    const { path: of, example } = answered("getAutomation");
    wire.beside.set(of, example);
    const router = await open(address);
    act(() => live.receive({ type: "events", events: [snapshot({})] }));
    const choice = await screen.findByRole("radiogroup", { name: group });
    await userEvent.click(within(choice).getByRole("radio", { name: key }));
    await vi.waitFor(() => expect(wire.list?.asked.at(-1)).toContain(query));
    expect(Object.values(router.state.location.search)).toEqual([query.split("=")[1]]);
  },
);

it.each([
  ["/plans", "listPlans", "Plans", "applied", "applied", ["-changes", "Changes"]],
  ["/operations", "listOperations", "Operations", "completed", "COMPLETED", ["-started_at", "Started"]],
] as const)("%s: %s is narrowed to a state, a host and a chain, and sorted so", async (...given) => {
  const [address, id, table, words, state, [sort, head]] = given;
  const { path, items } = documented(id);
  wire.list = { path, items, asked: [] };
  const router = await open(`${address}?host=edge-1&chain=web`);
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await screen.findByRole("table", { name: table });
  expect(wire.list.asked).toEqual(["?limit=50&host=edge-1&chain=web"]);
  const filter = within(screen.getByLabelText(`Which ${table.toLowerCase()}`));
  await userEvent.click(filter.getByRole("button", { name: /State/ }));
  await userEvent.click(screen.getByRole("option", { name: words }));
  const narrowed = { state, host: "edge-1", chain: "web" };
  await vi.waitFor(() => expect(router.state.location.search).toEqual(narrowed));
  await vi.waitFor(() => expect(wire.list?.asked.at(-1)).toBe(`?limit=50&state=${state}&host=edge-1&chain=web`));
  await userEvent.click(screen.getByRole("button", { name: head }));
  await vi.waitFor(() => expect(router.state.location.search).toEqual({ ...narrowed, sort }));
  await userEvent.click(filter.getByRole("button", { name: /Host/ }));
  await userEvent.click(screen.getByRole("option", { name: "every host" }));
  await vi.waitFor(() => expect(router.state.location.search).toEqual({ state, chain: "web", sort }));
});

it("finds comparisons by the name of their snapshot", async () => {
  const { path, items } = documented("listComparisons");
  wire.list = { path, items, asked: [] };
  const router = await open("/plans/compare");
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await userEvent.type(await screen.findByRole("searchbox", { name: /whose snapshot/ }), "lab");
  await vi.waitFor(() => expect(wire.list?.asked.at(-1)).toContain("search=lab"));
  expect(router.state.location.search).toEqual({ find: "lab" });
});

it("sorts and narrows the catalogue of NF types, and both stand in the address", async () => {
  const { path, items } = documented("listNfTypes");
  const [first] = items as { name: string; implementation: string | null; version: string }[];
  const named = (name: string, implementation: string | null) => ({ ...first, name, implementation });
  wire.list = { path, items: [named("nat", null), named("edge", "firewall"), named("dpi", null)], asked: [] };
  const router = await open("/nf-types?find=d");
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  const names = () =>
    within(screen.getByRole("table", { name: "NF types" }))
      .getAllByRole("row")
      .slice(1)
      .map((row) => row.children[0]?.textContent);
  await screen.findByRole("table", { name: "NF types" });
  expect(names()).toEqual(["edge", "dpi"]);
  await userEvent.click(screen.getByRole("button", { name: "NF type" }));
  await vi.waitFor(() => expect(names()).toEqual(["dpi", "edge"]));
  expect(router.state.location.search).toEqual({ find: "d", sort: "name" });
  await userEvent.clear(screen.getByRole("searchbox", { name: /whose name/ }));
  await vi.waitFor(() => expect(names()).toEqual(["dpi", "edge", "nat"]));
  await userEvent.click(screen.getByRole("button", { name: "Runs" }));
  await vi.waitFor(() => expect(names()).toEqual(["edge", "nat", "dpi"]));
  expect(router.state.location.search).toEqual({ sort: "runs" });
});
