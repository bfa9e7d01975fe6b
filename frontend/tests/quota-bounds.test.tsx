/** Quota bounds on the chain's page: what its host lacks of what they may be of. */

import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { ChainView } from "@/api/types";
import { QuotaBoundsFields } from "@/chains/quota-bounds-fields";
import { live } from "@/live/store";
import { chain, host, seat, snapshot } from "./fixtures";

const NO_RESCTRL = "no resctrl: this CPU or kernel does not offer it";
const SEATED = chain("web", {
  placement: [{ nf_id: "web.router", nf_type: "router", chain: "web", position: 0, seat: seat("edge-1", 1) }],
});
const BOUNDS = { max_p95_us: 5000, least_percent: 10, most_percent: 80 };
const BOUNDED: ChainView = { ...SEATED, spec: { ...SEATED.spec, quota_bounds: BOUNDS } };

/** On a host that cannot do these. */
function open(shown: ChainView, lacking: Readonly<Record<string, string>>): void {
  const names = ["quota-bounds", "resctrl-cat", "resctrl-mba"];
  const capabilities = names.map((name) => ({ name, available: !(name in lacking), reason: lacking[name] ?? "" }));
  const edge = host("edge-1");
  const inventory = edge.inventory && { ...edge.inventory, capabilities };
  live.receive({ type: "status", status: "open" });
  act(() => live.receive({ type: "events", events: [snapshot({ hosts: [{ ...edge, inventory }], chains: [shown] })] }));
  render(<QuotaBoundsFields chain={shown} edits={{}} onEdit={() => {}} message={() => undefined} />);
}

const without = () => screen.queryAllByText(/^No /).map(({ textContent }) => textContent);

afterEach(cleanup);

describe("quota bounds of a chain", () => {
  it("say which of LLC ways and memory bandwidth its host has not, and are open all the same", async () => {
    open(SEATED, { "resctrl-cat": NO_RESCTRL, "resctrl-mba": NO_RESCTRL });
    await waitFor(() =>
      expect(without()).toEqual([
        `No LLC ways on edge-1: ${NO_RESCTRL}`,
        `No memory bandwidth on edge-1: ${NO_RESCTRL}`,
      ]),
    );
    expect(screen.getByLabelText<HTMLInputElement>("Most LLC ways").disabled).toBe(false);
  });

  it("say it of the one that is lacking alone", async () => {
    open(SEATED, { "resctrl-mba": "no MBA" });
    await waitFor(() => expect(without()).toEqual(["No memory bandwidth on edge-1: no MBA"]));
  });

  it("say nothing where a host has both", async () => {
    open(SEATED, {});
    await waitFor(() => expect(without()).toEqual([]));
  });

  it("are closed where its host sets no quotas, and then nothing is said of ways", async () => {
    open(SEATED, { "quota-bounds": "no root helper answers", "resctrl-cat": NO_RESCTRL });
    await screen.findByText("Not on edge-1: no root helper answers");
    expect(screen.getByLabelText<HTMLInputElement>("Most LLC ways").disabled).toBe(true);
    await waitFor(() => expect(without()).toEqual([]));
  });

  it("can be taken away there all the same", async () => {
    open(BOUNDED, { "quota-bounds": "no root helper answers" });
    await waitFor(() => expect(screen.queryByText(/^Not on/)).toBeNull());
    expect(screen.getByLabelText<HTMLInputElement>("p95 in each NF").disabled).toBe(false);
  });
});
