/** Hosts that exchange chains: what the plan says of it, and the question before chains are interrupted. */

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = await vi.hoisted(() => import("./wire"));

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => () => undefined,
}));

import type { LossPreview, PlanBody } from "@/api/types";
import { count, thousands } from "@/lib/format";
import { allowing, HandoverSection } from "@/plans/handover";
import { PlanBar } from "@/plans/plan-bar";
import { cli } from "@/session/cli";
import { change, fullPlan, planBody, seat } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

/** 0.2 Mpps for 5500 ms are 1.1 million packets; both chains stop. */
const LOSS: LossPreview = {
  packets: 2_200_000,
  pause_ms: 5500,
  assumed: true,
  basis: "no host of the circle has room",
  chains: ["dns", "web"].map((chain) => ({ chain, moves: 1, rate_mpps: 0.2, packets: 1_100_000 })),
};

function exchange(handover: PlanBody["handover"]): PlanBody {
  return planBody({ changes: [change("web.router", seat("b", 1))], ...(handover && { handover }) });
}

beforeEach(() => {
  wire.sent.length = 0;
});

describe("an exchange between hosts", () => {
  it("says which host runs both meanwhile", async () => {
    const content = { host_id: "a", chains: [] };
    const { container } = show(
      <HandoverSection body={exchange({ between: [{ generation: 6, digest: "d", content }] })} />,
    );
    expect(container.textContent).toContain("a runs what comes to it beside what it runs (generation 6)");
    expect(container.textContent).toContain("no chain stops before it runs elsewhere");
    await expectAccessible(container);
  });

  it("says what it interrupts, chain by chain, where no host has room", async () => {
    const { container } = show(<HandoverSection body={exchange({ between: [], interrupts: LOSS })} />);
    expect(container.textContent).toContain(`${thousands(2_200_000)} packets lost at most, 5.5 s without a packet`);
    const table = screen.getByRole("table", { name: "What the exchange interrupts" });
    expect(within(table).getByRole("row", { name: /dns/ }).textContent).toContain(thousands(1_100_000));
    await expectAccessible(container);
  });

  it("is applied without a question where nothing is interrupted, and names no budget", async () => {
    show(<PlanBar plan={fullPlan({ body: exchange({ between: [] }) })} />);
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change" }));
    await waitFor(() => expect(wire.sent[0]).toMatchObject({ path: "/plans/7/apply", body: { hosts_at_once: null } }));
    expect(wire.sent[0]?.body).not.toHaveProperty("loss_budget");
  });

  it("asks with chains and seconds before it interrupts, and allows what was said and no more", async () => {
    show(<PlanBar plan={fullPlan({ body: exchange({ between: [], interrupts: LOSS }) })} />);
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change" }));
    const dialog = screen.getByRole("alertdialog", { name: "Apply plan 7 and interrupt dns, web?" });
    for (const chain of ["dns", "web"]) {
      expect(dialog.textContent).toContain(
        `${chain}: 5.5 s without a packet, ${count(1_100_000, "packet")} lost at most`,
      );
    }
    await userEvent.click(within(dialog).getByRole("button", { name: "Keep" }));
    expect(wire.sent).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change" }));
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change anyway" }));
    await waitFor(() => expect(wire.sent.map(({ path }) => path)).toContain("/plans/7/apply"));
    expect(wire.sent[0]?.body).toMatchObject({ loss_budget: { most_packets: 2_200_000, most_pause_ms: 5500 } });
  });

  it("is the same as a command", () => {
    expect(cli.applyPlan(7, false, null, allowing(LOSS))).toBe(
      "sextant plans apply 7 --most-lost-packets 2200000 --most-pause-ms 5500",
    );
  });
});
