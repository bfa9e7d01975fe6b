/** Reserved cores of a host: what an edit means while it is typed, what is sent, and who still stands there. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setReservedCores } from "@/api/actions";
import { sessionQuery } from "@/api/queries";
import type { Core, HostView, NfView } from "@/api/types";
import { coresForNfs, slotsOf, whyReserved } from "@/capabilities/cores";
import { editOf, ranges } from "@/hosts/core-list";
import { ReservedCores } from "@/hosts/reserved-cores";
import { live } from "@/live/store";
import { host, nf, snapshot } from "./fixtures";

vi.mock("@/api/actions", async (original) => ({ ...(await original<object>()), setReservedCores: vi.fn() }));

const core = (id: number, changes: Partial<Core> = {}): Core => ({
  id,
  node: 0,
  socket: 0,
  physical_core: id,
  siblings: [],
  slots: 1,
  last_choice: false,
  reserved_for: null,
  ...changes,
});

/** Core 0 is its agent's (rx), core 1 an operator's; 2 and 3 are free. */
function edge(
  cores: readonly Core[] = [core(0, { reserved_for: "rx" }), core(1, { reserved_for: "operator" }), core(2), core(3)],
): HostView {
  const plain = host("edge-1");
  if (!plain.inventory) throw new Error("the fixture has an inventory");
  return {
    ...plain,
    inventory: { ...plain.inventory, cores: [...cores] },
    reserved_cores: [{ core: 1, reason: "packet capture", by: "ada", since: "2036-01-01T00:00:00Z" }],
  };
}

function show(view: HostView, nfs: readonly NfView[] = [], role: "operator" | "viewer" = "operator"): void {
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot({})] });
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
      <ReservedCores host={view} nfs={nfs} />
    </QueryClientProvider>,
  );
}

const send = () => within(screen.getByRole("alertdialog")).getByRole("button", { name: "Reserve exactly these" });
const isBlocked = (one: HTMLElement) => one.getAttribute("aria-disabled") === "true" || one.hasAttribute("disabled");

beforeEach(() => {
  vi.mocked(setReservedCores).mockReset().mockResolvedValue(edge());
});

describe("cores", () => {
  it("are written as numbers and ranges", () => {
    expect(ranges([5, 0, 2, 1])).toBe("0-2,5");
    expect(ranges([])).toBe("");
  });

  it("that an operator reserves are drawn with all their slots: NFs may stand there", () => {
    expect(slotsOf(core(1, { slots: 8, reserved_for: "operator" }))).toBe(8);
    expect(slotsOf(core(1, { slots: 8, reserved_for: "rx" }))).toBe(1);
  });

  it("whose sibling is reserved are left empty, unless NFs share cores", () => {
    const pair = (slots: number) => [
      core(0, { siblings: [1], slots }),
      core(1, { siblings: [0], slots, reserved_for: "operator" }),
    ];
    expect(coresForNfs(pair(1))).toEqual([]);
    expect(coresForNfs(pair(4))).toEqual([0]);
    expect(whyReserved(pair(1), 0)).toBe("core 0 stays empty: its sibling, core 1, is reserved by an operator");
    expect(whyReserved(pair(1), 9)).toBeNull();
  });
});

describe("an edit", () => {
  it("says what it adds, takes back and leaves", () => {
    expect(editOf(edge(), "2")).toEqual({ cores: [2], error: null, added: [2], removed: [1], left: [1, 3] });
    expect(editOf(edge(), " ")).toEqual({ cores: [], error: null, added: [], removed: [1], left: [1, 2, 3] });
  });

  it.each([
    ["1,x", '"x" is no core and no range of cores; an example: 3,5-7'],
    ["3-2", '"3-2" is no range of cores: the lowest first, at most 65535'],
    ["0-70000", '"0-70000" is no range of cores: the lowest first, at most 65535'],
    ["1,9", "edge-1 has no core 9"],
    ["0-1", "core 0 is reserved for rx by its agent"],
    ["1-3", "no core would be left for NFs; cordon the host if none shall start here"],
  ])("of %s is refused with the reason", (text, error) => {
    expect(editOf(edge(), text).error).toBe(error);
  });

  it("keeps a core that the machine has lost until it is taken back", () => {
    const without = edge([core(2), core(3)]);
    expect(editOf(without, "1,2").added).toEqual([2]);
    expect(editOf(without, "2").removed).toEqual([1]);
  });
});

describe("the section", () => {
  it("says who reserved what and why, what is left, and who still stands there", () => {
    const there = nf("web.firewall", "edge-1", 1);
    show(edge(), [there]);
    const section = screen.getByTestId("reserved-cores");
    expect(section.textContent).toContain("packet capture");
    expect(section.textContent).toContain("2 of 4 cores: 2-3");
    expect(
      screen.getByText(/web.firewall stays on a reserved core until a plan moves it: press Re-place/),
    ).toBeDefined();
  });

  it("says that the machine has lost a reserved core, and that none is left", () => {
    show(edge([core(0, { reserved_for: "rx" })]));
    expect(screen.getByText("The machine has no core 1 any more.")).toBeDefined();
    expect(screen.getByText("no core: give some back")).toBeDefined();
  });

  it("sends the version that was seen, with a reason for what is new alone", async () => {
    show(edge());
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    expect(isBlocked(send())).toBe(true);
    const cores = screen.getByLabelText("Cores");
    await userEvent.clear(cores);
    await userEvent.type(cores, "1,2");
    expect(isBlocked(send())).toBe(true);
    await userEvent.type(screen.getByLabelText("Why"), " console ");
    await userEvent.click(send());
    expect(setReservedCores).toHaveBeenCalledExactlyOnceWith(edge(), [1, 2], "console");
  });

  it("is not for viewers to edit", async () => {
    show(edge(), [], "viewer");
    await userEvent.click(screen.getByRole("button", { name: "Edit" }));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});
