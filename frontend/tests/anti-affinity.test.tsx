/** Anti-affinity: who stands together all the same, what the form sends, and how a group is given and refused. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setAntiAffinity } from "@/api/actions";
import { ProblemError } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import type { AntiAffinity, ChainView } from "@/api/types";
import { ChangeGroup } from "@/chains/change-group";
import { check, checkGroup, EMPTY_DRAFT } from "@/chains/draft";
import { groupNames, standTogether, togetherWords } from "@/fleet/anti-affinity";
import { FleetTable } from "@/fleet/fleet-table";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { live } from "@/live/store";
import { chainsSearch } from "@/pages/chains";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { chain, host, nf, snapshot } from "./fixtures";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));
vi.mock("@/api/actions", async (original) => ({ ...(await original<object>()), setAntiAffinity: vi.fn() }));

/** A chain of a group with an NF on each of these nodes of a host. */
function standing(name: string, group: AntiAffinity | null, host: string, ...nodes: number[]): ChainView {
  const plain = chain(name);
  const spec = group ? { ...plain.spec, anti_affinity: group } : plain.spec;
  const placement = nodes.map((node, position) => ({
    nf_id: `${name}.nf-${position}`,
    chain: name,
    position,
    nf_type: "router",
    seat: { host, node, core: position, slot: 0, llc_ways: null, memory_bandwidth_percent: null, cpu_share: null },
  }));
  return { ...plain, spec, placement };
}

const WEB: AntiAffinity = { group: "web", scope: "host" };
const BY_NODE: AntiAffinity = { group: "web", scope: "node" };

describe("chains that stand together and must not", () => {
  const words = (...chains: ChainView[]) =>
    Object.fromEntries([...standTogether(chains)].map(([name, found]) => [name, togetherWords(found)]));

  it("are those of one group on one host, on both sides", () => {
    const apart = standing("c", WEB, "edge-2", 0);
    const free = standing("d", null, "edge-1", 0);
    expect(words(standing("a", WEB, "edge-1", 0), standing("b", WEB, "edge-1", 1), apart, free)).toEqual({
      a: "stands with b on edge-1",
      b: "stands with a on edge-1",
    });
  });

  it("are by node those that share one; where one says host, the host counts", () => {
    const [one, two] = [standing("a", BY_NODE, "edge-1", 0), standing("b", BY_NODE, "edge-1", 1)];
    expect(words(one, two)).toEqual({});
    expect(words(one, standing("b", BY_NODE, "edge-1", 1, 0))).toEqual({
      a: "stands with b on node 0 of edge-1",
      b: "stands with a on node 0 of edge-1",
    });
    expect(words(one, standing("b", WEB, "edge-1", 1)).a).toBe("stands with b on edge-1");
  });

  it("are none of other groups", () => {
    expect(words(standing("a", WEB, "edge-1", 0), standing("b", { group: "db", scope: "host" }, "edge-1", 0))).toEqual(
      {},
    );
  });
});

describe("the fleet's table", () => {
  it("says it in the row of each NF of such a chain, and of no other", () => {
    const chains = [standing("a", WEB, "edge-1", 0), standing("b", WEB, "edge-1", 0), standing("c", null, "edge-1", 0)];
    live.receive({ type: "status", status: "open" });
    live.receive({ type: "events", events: [snapshot({ chains })] });
    const nfs = ["a", "b", "c"].map((name, core) => nf(`${name}.router`, "edge-1", core));
    const byId = new Map(nfs.map((one) => [one.nf_id, one]));
    const model = modelOf(host("edge-1"), byId, layerOf("cpu"), new Set(), "labelled");
    render(<FleetTable models={[model]} onPin={() => {}} sort={undefined} onSort={() => {}} />);
    const rows = screen.getAllByRole("row").map((row) => row.textContent ?? "");
    const said = rows.filter((text) => text.includes("stands with"));
    expect(said.map((text) => /stands with .*/.exec(text)?.[0])).toEqual([
      "stands with b on edge-1",
      "stands with a on edge-1",
    ]);
  });
});

describe("a group", () => {
  it("is named once in the list's filter, which the address carries", () => {
    const chains = [standing("a", WEB, "e", 0), standing("b", BY_NODE, "e", 0), standing("c", null, "e", 0)];
    expect(groupNames(chains)).toEqual(["web"]);
    expect(chainsSearch({ group: "web" })).toEqual({ group: "web" });
    expect(chainsSearch({ group: 7 })).toEqual({});
  });

  it("is sent by the form where it has a name, and refused where that is none", () => {
    expect(checkGroup(" web ", "node")).toEqual({ wanted: { group: "web", scope: "node" } });
    expect(checkGroup("", "node")).toEqual({ wanted: null });
    expect(checkGroup("Web!", "host").error).toContain("lower case");
    const errors = check({ ...EMPTY_DRAFT, group: "Web!" }).errors.map(({ field }) => field);
    expect(errors).toContain("anti_affinity.group");
  });

  it("is given and taken away by the command and the request that the page copies", () => {
    expect(cli.setAntiAffinity("web-a", BY_NODE)).toBe("sextant chains anti-affinity web-a web:node");
    expect(cli.setAntiAffinity("web-a", null)).toBe("sextant chains anti-affinity web-a none");
    expect(curls.setAntiAffinity("web-a", WEB)).toContain('"anti_affinity":{"group":"web","scope":"host"}');
  });
});

describe("on the chain's page", () => {
  beforeEach(() => {
    vi.mocked(setAntiAffinity).mockReset().mockResolvedValue(chain("web-a"));
  });

  function show(view: ChainView, role: "operator" | "viewer" = "operator"): void {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
    const session = {
      username: "ada",
      role,
      csrf_token: "t",
      expires_at: "2036-11-22T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    client.setQueryData(sessionQuery.queryKey, session);
    render(
      <QueryClientProvider client={client}>
        <ChangeGroup chain={view} />
      </QueryClientProvider>,
    );
  }

  const dialog = () => within(screen.getByRole("alertdialog"));

  it("a group is given under the version that was seen", async () => {
    show({ ...chain("web-a"), version: 7 });
    await userEvent.click(screen.getByRole("button", { name: "Keep apart" }));
    await userEvent.type(dialog().getByLabelText("Group"), "web");
    await userEvent.click(dialog().getByRole("radio", { name: "A NUMA node" }));
    await userEvent.click(dialog().getByRole("button", { name: "Set the group" }));
    expect(setAntiAffinity).toHaveBeenCalledWith("web-a", 7, { group: "web", scope: "node" });
  });

  it("an empty name takes it out, and nothing new is not sent", async () => {
    show(standing("web-a", WEB, "edge-1", 0));
    await userEvent.click(screen.getByRole("button", { name: "Change group" }));
    await userEvent.click(dialog().getByRole("button", { name: "Set the group" }));
    expect(setAntiAffinity).not.toHaveBeenCalled();
    await userEvent.clear(dialog().getByLabelText("Group"));
    await userEvent.click(dialog().getByRole("button", { name: "Take it out of every group" }));
    expect(setAntiAffinity).toHaveBeenCalledWith("web-a", chain("web-a").version, null);
  });

  it("says whom it stands with where that refuses it", async () => {
    const detail = "web-a stands with web-b on edge-1, which anti-affinity group web keeps it apart from.";
    vi.mocked(setAntiAffinity).mockRejectedValue(
      new ProblemError({
        type: "urn:sextant:problem:stands-together",
        title: "The chain stands with others of that group",
        status: 409,
        detail,
      } as ConstructorParameters<typeof ProblemError>[0]),
    );
    show(standing("web-a", null, "edge-1", 0));
    await userEvent.click(screen.getByRole("button", { name: "Keep apart" }));
    await userEvent.type(dialog().getByLabelText("Group"), "web");
    await userEvent.click(dialog().getByRole("button", { name: "Set the group" }));
    expect(await dialog().findByText(detail)).toBeTruthy();
  });

  it("a viewer cannot", async () => {
    show(chain("web-a"), "viewer");
    const button = screen.getByRole("button", { name: "Keep apart" });
    expect(button.getAttribute("aria-disabled") === "true" || button.hasAttribute("disabled")).toBe(true);
  });
});
