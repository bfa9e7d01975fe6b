/** Slots of a host's cores: in words, set by an operator, refused with the driver's reason. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { setCoreSlots } from "@/api/actions";
import { sessionQuery } from "@/api/queries";
import type { Capability, Core, HostView, NfView } from "@/api/types";
import { CoreSlots } from "@/hosts/core-slots";
import { beyondSlots, slotsEditOf, slotsText } from "@/hosts/slots-edit";
import { live } from "@/live/store";
import { host, nf, snapshot } from "./fixtures";

vi.mock("@/api/actions", async (original) => ({ ...(await original<object>()), setCoreSlots: vi.fn() }));

const core = (id: number, slots: number): Core => ({
  id,
  node: 0,
  socket: 0,
  physical_core: id,
  siblings: [],
  slots,
  last_choice: false,
  reserved_for: slots === 0 ? "rx" : null,
});

const CAN: Capability = { name: "shared-slots", available: true, reason: "the kernel divides a core" };

function edge(slots: number, change: Partial<HostView> = {}, can: readonly Capability[] = [CAN]): HostView {
  const plain = host("edge-1");
  if (!plain.inventory) throw new Error("the fixture has an inventory");
  const cores = [core(0, 0), core(1, slots), core(2, slots), core(3, slots)];
  return { ...plain, inventory: { ...plain.inventory, cores, capabilities: [...can] }, ...change };
}

const set = (slots: number, not_met: string | null = null): Partial<HostView> => ({
  core_slots: { slots, reason: "small NFs", by: "ada", since: "2036-01-01T00:00:00Z", not_met },
});

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
      <CoreSlots host={view} nfs={nfs} />
    </QueryClientProvider>,
  );
}

const dialog = () => within(screen.getByRole("alertdialog"));
const send = () => dialog().getByRole("button", { name: "Set these slots" });
const isBlocked = (one: HTMLElement) => one.getAttribute("aria-disabled") === "true" || one.hasAttribute("disabled");

beforeEach(() => {
  vi.mocked(setCoreSlots).mockReset().mockResolvedValue(edge(4));
});

describe("slots", () => {
  it("are written by number of NFs, without the cores that the agent keeps", () => {
    expect(slotsText([core(0, 0), core(1, 1), core(2, 1)])).toBe("1 on 1-2");
    expect(slotsText([core(1, 8), core(0, 2)])).toBe("2 on 0, 8 on 1");
    expect(slotsText([core(0, 0)])).toBe("no core for NFs");
  });

  it("that are too few leave NFs beyond them", () => {
    const [first, second] = [nf("web.nat", "edge-1", 1), nf("web.dpi", "edge-1", 1)];
    const beside = { ...second, seat: { ...second.seat, slot: 1 } };
    expect(beyondSlots([core(1, 1)], [first, beside])).toEqual(["web.dpi"]);
    expect(beyondSlots([core(1, 2)], [first, beside])).toEqual([]);
  });
});

describe("an edit", () => {
  it.each([
    ["agent", "", null, "Nothing differs from what is set."],
    ["exclusive", "", 1, null],
    ["shared", "4", 4, null],
    ["shared", "1", null, "Correct the number first."],
    ["shared", "65", null, "Correct the number first."],
    ["shared", "2.5", null, "Correct the number first."],
  ] as const)("of %s %s", (choice, text, slots, idle) => {
    expect(slotsEditOf(edge(1), choice, text)).toMatchObject({ slots, idle });
  });

  it("of what is set already changes nothing", () => {
    expect(slotsEditOf(edge(4, set(4)), "shared", "4").idle).toBe("Nothing differs from what is set.");
    expect(slotsEditOf(edge(4, set(4)), "agent", "4")).toMatchObject({ slots: null, idle: null });
  });
});

describe("the section", () => {
  it("says who set how many and why, and who stands beyond that", () => {
    const beside = nf("web.dpi", "edge-1", 1);
    show(edge(1, set(1)), [{ ...beside, seat: { ...beside.seat, slot: 2 } }]);
    expect(screen.getByTestId("core-slots").textContent).toContain("1 on 1-3");
    expect(screen.getByTestId("core-slots").textContent).toContain("small NFs");
    expect(screen.getByText(/web.dpi stays beyond the slots until a plan moves it: press Re-place/)).toBeDefined();
  });

  it("says why what is set does not hold", () => {
    show(edge(1, set(4, "its NFs poll"), []));
    expect(screen.getByText("Its agent's slots hold at present: its NFs poll.")).toBeDefined();
    expect(isBlocked(screen.getByRole("button", { name: "Set" }))).toBe(false);
  });

  it("sends the version that was seen, with a reason", async () => {
    show(edge(1));
    await userEvent.click(screen.getByRole("button", { name: "Set" }));
    expect(isBlocked(send())).toBe(true);
    await userEvent.click(dialog().getByRole("radio", { name: "Shared" }));
    expect(isBlocked(send())).toBe(true);
    await userEvent.type(screen.getByLabelText("Why"), " small NFs ");
    await userEvent.click(send());
    expect(setCoreSlots).toHaveBeenCalledExactlyOnceWith(edge(1), 4, "small NFs");
  });

  it("cannot be set where the driver cannot share cores", async () => {
    const polls = { ...CAN, available: false, reason: "its NFs poll" };
    show(edge(1, {}, [polls]));
    await userEvent.click(screen.getByRole("button", { name: "Set" }));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  it("is not for viewers to set", async () => {
    show(edge(1), [], "viewer");
    await userEvent.click(screen.getByRole("button", { name: "Set" }));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});
