/** Share bounds on the chain's page: where a host cannot set CPU shares the fields are closed, and say why. */

import { act, cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ChainView } from "@/api/types";
import { ShareBoundsFields } from "@/chains/share-bounds-fields";
import { live } from "@/live/store";
import { chain, host, snapshot } from "./fixtures";

const SEATED = chain("web", {
  placement: [
    {
      nf_id: "web.router",
      nf_type: "router",
      chain: "web",
      position: 0,
      seat: { host: "edge-1", node: 0, core: 1, slot: 0 },
    },
  ],
});
const BOUNDED: ChainView = {
  ...SEATED,
  spec: { ...SEATED.spec, share_bounds: { least_percent: 5, most_percent: 80 } },
};

function open(shown: ChainView, able: boolean, knows = true) {
  const onEdit = vi.fn();
  const capabilities = [
    { name: "cpu-share", available: able, reason: "no root helper answers" },
    { name: "rate-cost-shares", available: knows, reason: "its agent is older" },
  ];
  const edge = host("edge-1");
  const inventory = edge.inventory && { ...edge.inventory, capabilities };
  live.receive({ type: "status", status: "open" });
  act(() => live.receive({ type: "events", events: [snapshot({ hosts: [{ ...edge, inventory }], chains: [shown] })] }));
  render(<ShareBoundsFields chain={shown} edits={{}} onEdit={onEdit} message={() => undefined} />);
  return { onEdit, least: screen.getByLabelText<HTMLInputElement>("Least") };
}

afterEach(cleanup);

describe("share bounds of a chain", () => {
  it("are typed where its host can set CPU shares", async () => {
    const { onEdit, least } = open(SEATED, true);
    await userEvent.type(least, "5");
    expect(onEdit).toHaveBeenCalledWith("share_bounds.least_percent", "5");
  });

  it("are closed where it cannot, with the reason", async () => {
    const { least } = open(SEATED, false);
    await screen.findByText("Not on edge-1: no root helper answers");
    expect(least.disabled).toBe(true);
  });

  it("are by the law that is chosen, of those that its host knows", async () => {
    const { onEdit } = open(BOUNDED, true);
    expect(screen.getByRole("radio", { name: "Queue matching" }).getAttribute("aria-checked")).toBe("true");
    await userEvent.click(screen.getByRole("radio", { name: "Rate × cost" }));
    expect(onEdit).toHaveBeenCalledWith("share_bounds.law", "rate-cost");
  });

  it("say where a host knows queue matching alone", async () => {
    open(BOUNDED, true, false);
    await screen.findByText(/Rate × cost: not on edge-1: its agent is older/);
    expect(screen.getByRole<HTMLButtonElement>("radio", { name: "Rate × cost" }).disabled).toBe(true);
  });

  it("can be taken away there all the same", () => {
    const { least } = open(BOUNDED, false);
    expect([least.disabled, least.value]).toEqual([false, "5"]);
  });
});
