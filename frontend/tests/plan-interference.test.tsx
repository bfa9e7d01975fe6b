/** Who takes throughput from whom, as a grid. */
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = await vi.hoisted(() => import("./wire"));

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => vi.fn(),
}));

import type { Interference } from "@/api/types";
import { InterferenceMatrices } from "@/interference/matrices";
import { PlanInterference } from "@/plans/plan-interference";
import { cause, change, fullPlan, planBody, seat, victim } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
});

describe("interference", () => {
  const interference: Interference = {
    host: "edge-1",
    provenance: "assumed",
    models: [],
    note: null,
    victims: [
      victim("dmz.fw", 0, [cause("neighbour", "branch.vpn", 0.1, 0.06), cause("fixed", null, 0, 0, 0.04)]),
      victim("branch.vpn", 0, [cause("neighbour", "dmz.fw", 0.03, 0)]),
    ],
  };

  it("is a grid with heads for rows and columns, walked by arrow keys and described in words", async () => {
    const { container } = show(<InterferenceMatrices interference={interference} />);
    const grid = screen.getByRole("grid", { name: /edge-1 node 0/ });
    const heads = within(grid).getAllByRole("columnheader");
    expect(heads.map((head) => head.textContent)).toEqual(["NF that loses", "fw dmz", "vpn branch", "fixed", "sum"]);
    expect(container.textContent).toContain("fw of dmz loses 2.0 of 10.0 Mpps");
    await userEvent.tab(); // the scrolled region
    await userEvent.tab(); // the one cell of the grid that is in the tab order
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    expect(document.activeElement?.textContent).toBe("1.6");
    expect(container.textContent).toContain("fw of dmz loses 1.6 Mpps to vpn of branch: 1.0 by cache, 0.60 by memory");
    await userEvent.keyboard("{ArrowDown}{ArrowLeft}");
    expect(container.textContent).toContain("vpn of branch loses 0.30 Mpps to fw of dmz: 0.30 by cache");
    expect(grid.querySelectorAll("[tabindex='0']")).toHaveLength(1);
    await expectAccessible(container);
  });

  it("says why there is nothing to show", () => {
    const note = "shared cores: Octans' model does not apply";
    const { container } = show(<InterferenceMatrices interference={{ ...interference, victims: [], note }} />);
    expect(container.textContent).toBe(`Nothing to show: ${note}.`);
  });

  it("asks for the host that changes most, after the plan, then before it; a refusal is shown in place", async () => {
    const base = ["edge-1", "edge-2"].map((host) => ({ host, generation: 4, digest: `sha256:${"a".repeat(64)}` }));
    const body = planBody({ base, changes: [change("a.b", seat("edge-2", 1))] });
    const path = "/plans/7/interference?host=edge-2&when=";
    wire.answers.set(`GET ${path}after`, { status: 200, body: { ...interference, host: "edge-2" } });
    const refusal = {
      type: "urn:sextant:problem:host-moved-on",
      title: "The host has moved on",
      detail: "It is not kept.",
    };
    wire.answers.set(`GET ${path}before`, { status: 409, body: refusal });
    const { container } = show(<PlanInterference plan={fullPlan({ body })} body={body} />);
    await screen.findByRole("grid", { name: /edge-2 node 0/ });
    expect(screen.getByRole("img", { name: "assumed" })).toBeTruthy();
    await userEvent.click(screen.getByRole("radio", { name: "Before" }));
    await waitFor(() => expect(container.textContent).toContain("The host has moved on. It is not kept."));
    expect(screen.queryByRole("grid")).toBeNull();
  });
});
