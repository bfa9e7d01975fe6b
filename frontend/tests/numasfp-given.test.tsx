/** What a host's agent gave chains by NUMASFP's law, on the pages of hosts and chains: figures, bounds, who gave what. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";

const wire = vi.hoisted(() => {
  const state = { law: null as unknown, asked: [] as string[] };
  globalThis.fetch = async (input) => {
    state.asked.push(new URL((input as Request).url).pathname);
    return new Response(JSON.stringify(state.law), { status: state.law ? 200 : 404 });
  };
  return state;
});
vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => vi.fn(),
}));

import type { ChainControl, HostView } from "@/api/types";
import { GivenByAgent } from "@/laws/numasfp/allocation/given";
import { HostResources } from "@/resources/host-resources";
import { AT, host, nf, seat } from "./fixtures";
import { DIGEST, lawChain, lawHost, NAT, WEB } from "./numasfp-fixtures";
import { expectAccessible } from "./plan-page";

const GAVE: ChainControl = {
  chain: "web",
  law: "numasfp",
  law_version: 1,
  table: DIGEST,
  llc_ways: 5,
  memory_bandwidth_percent: 30,
  rate_gbps: 8.8,
  level_gbps: 7,
  state: "short",
  note: null,
};
const TRANSFERS = [
  { at: AT, from_chain: "nat", to_chain: "web", ways: 2, reason: "web needs 7 ways for 8.8 Gbps" },
  { at: AT, from_chain: "dns", to_chain: null, ways: 1, reason: "nobody needs it" },
];

beforeEach(() => {
  wire.law = null;
  wire.asked.length = 0;
});

function show(children: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

function divided(controls: ChainControl[]): HostView {
  const view = host("edge-1", 2, 4);
  if (!view.inventory) throw new Error("the fixture has an inventory");
  const capabilities = ["resctrl-cat", "resctrl-mba"].map((name) => ({ name, available: true, reason: "" }));
  const llc = { size_bytes: 1, ways: 11, ways_shared_with_nic: 0 };
  const nodes = view.inventory.nodes.map((node) => ({ ...node, llc, memory_bandwidth_steps_percent: [10, 50, 100] }));
  return { ...view, controls, inventory: { ...view.inventory, nodes, capabilities } };
}

it("has ways and bandwidth now within their bounds, each on a track of all there is, and the last that was handed", async () => {
  const { container } = show(<GivenByAgent law={lawHost({ transfers: TRANSFERS })} />);
  const web = screen.getByRole("row", { name: /^web/ });
  expect(web.textContent).toContain("5 of 2 to 8");
  expect(web.textContent).toContain("30 % of 10 to 90 %");
  expect(web.textContent).toContain("8.8 Gbps offered, 5.8 carried");
  expect(web.textContent).toContain("short: no more can be given");
  expect(web.textContent).toContain("2 ways from nat to web");
  // 2 to 8 of the node's 10 ways; it has 5.
  const [bounds, now] = [web.querySelector<HTMLElement>(".bounds"), web.querySelector<HTMLElement>(".now")];
  expect([bounds?.style.left, bounds?.style.right, now?.style.left]).toEqual(["20%", "calc(100% - 80%)", "50%"]);
  expect(screen.getByText("Ways handed from chain to chain, 2 times")).toBeTruthy();
  await expectAccessible(container);
});

it("shows of one chain only what it gave and was given", () => {
  show(<GivenByAgent law={lawHost({ transfers: TRANSFERS })} chain="nat" />);
  const table = screen.getByRole("table", { name: "Set by the agent" });
  expect(within(table).getAllByRole("row")).toHaveLength(2);
  expect(screen.getByText("Ways handed from chain to chain, 1 time")).toBeTruthy();
});

it("leaves out chains that were not handed over, and is nothing without any", () => {
  const law = lawHost({ chains: [NAT, { ...WEB, bounds: null }] });
  const { unmount } = show(<GivenByAgent law={law} />);
  expect(screen.queryByRole("row", { name: /^web/ })).toBeNull();
  unmount();
  expect(show(<GivenByAgent law={lawHost({ chains: [{ ...WEB, bounds: null }] })} />).container.innerHTML).toBe("");
});

it("says that a chain shares all where the agent gave it nothing of its own", () => {
  show(<GivenByAgent law={lawHost({ chains: [lawChain("web", { llc_ways: null })] })} />);
  expect(screen.getByRole("row", { name: /^web/ }).textContent).toContain("shares all of 2 to 8");
});

it("stands in the place of sentences on the host's page, which remain where the law's state cannot be read", async () => {
  const nfs = [nf("web.nat", "edge-1", 5, { seat: { ...seat("edge-1", 5, 1), chain_llc_ways: 5 } })];
  wire.law = lawHost();
  const { unmount } = show(<HostResources host={divided([GAVE])} nfs={nfs} />);
  expect(screen.getByText(/^web: 5 ways, 30 %, set by numasfp/)).toBeTruthy();
  expect(await screen.findByRole("table", { name: "Set by the agent" })).toBeTruthy();
  expect(screen.queryByText(/set by numasfp/)).toBeNull();
  unmount();
  wire.law = null;
  show(<HostResources host={divided([GAVE])} nfs={nfs} />);
  expect(screen.getByText(/set by numasfp/)).toBeTruthy();
});

it("says where threads of a physical core share the smallest limit", () => {
  const view = divided([GAVE]);
  const { unmount } = show(<HostResources host={view} nfs={[]} />);
  expect(screen.queryByText(/throttled together/)).toBeNull();
  unmount();
  const inventory = view.inventory && { ...view.inventory, thread_throttle_mode: "max" as const };
  show(<HostResources host={{ ...view, inventory }} nfs={[]} />);
  expect(screen.getByText(/throttled together/).textContent).toContain("all have the smallest");
});

it("asks nothing of a host whose agent gives nothing", () => {
  show(<HostResources host={divided([])} nfs={[]} />);
  expect(wire.asked).toEqual([]);
});
