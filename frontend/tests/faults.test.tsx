import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { injectFault } from "@/api/actions";
import { ProblemError } from "@/api/problem";
import type { HostView } from "@/api/types";
import { offersFaults } from "@/capabilities/cannot";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { emptyDraft, faultLeft, faultOf, faultText, freeCores } from "@/hosts/faults";
import { FaultForm } from "@/hosts/order-fault";
import type { HostData } from "@/hosts/use-host";
import { cli } from "@/session/cli";
import { AT, host, nf } from "./fixtures";

vi.mock("@/api/actions", () => ({ injectFault: vi.fn() }));
afterEach(() => vi.clearAllMocks());

const plain = host("sim-1", 1, 4);
const view: HostView = {
  ...plain,
  inventory: plain.inventory && {
    ...plain.inventory,
    ports: [{ name: "nic0", node: 0, kind: "nic", chains: null }],
    cores: plain.inventory.cores.map((core) => ({ ...core, reserved_for: core.id === 0 ? ("system" as const) : null })),
    capabilities: [{ name: "faults", available: true, reason: "crash an NF" }],
  },
};
const nfs = [nf("web.router", "sim-1", 1)];
const draft = emptyDraft(view, nfs);

describe("a fault", () => {
  it("is ordered of what is there: the first NF, the first port, the first free core", () => {
    expect(freeCores(view, nfs)).toEqual([2, 3]); // 0 is reserved, 1 holds the router
    expect(faultOf(draft, view, nfs)).toEqual({ kind: "nf-crash", nf_id: "web.router" });
    expect(faultOf({ ...draft, kind: "nic-flap" }, view, nfs)).toEqual({ kind: "nic-flap", port: "nic0", seconds: 30 });
    expect(faultOf({ ...draft, kind: "host-down", seconds: "0.1" }, view, nfs)).toEqual({
      kind: "host-down",
      seconds: 0.1,
    });
    expect(faultOf({ ...draft, kind: "noisy-neighbour", cores: "2, 3" }, view, nfs)).toEqual({
      kind: "noisy-neighbour",
      resource: "cache",
      cores: [2, 3],
      seconds: 30,
    });
  });

  it.each([
    ["1", "router of web runs on core 1"],
    ["0", "core 0 is reserved for system"],
    ["2, 99", "sim-1 has no core 99"],
    ["2 2", "each core once"],
    ["two", "numbers of cores, separated by commas"],
    ["", "name at least one core"],
  ])("on cores %j is refused: %s", (cores, message) => {
    expect(faultOf({ ...draft, kind: "noisy-neighbour", cores }, view, nfs)).toEqual(new Map([["cores", message]]));
  });

  it("needs an NF that runs, and a time that ends", () => {
    expect(faultOf({ ...draft, nf: null }, view, [])).toEqual(new Map([["nf", "no NF runs here"]]));
    expect(faultOf({ ...draft, kind: "host-down", seconds: "3601" }, view, nfs)).toEqual(
      new Map([["seconds", "at most 3600"]]),
    );
    expect(faultOf({ ...draft, kind: "host-down", seconds: "" }, view, nfs)).toBeInstanceOf(Map);
  });

  it("is said in words, with the time that is left, and as a command", () => {
    const noise = { kind: "noisy-neighbour" as const, resource: "memory" as const, cores: [2, 3], seconds: 30 };
    expect(faultText(noise)).toBe("programs on cores 2, 3 load the memory");
    expect(cli.fault("sim-1", noise)).toBe(
      "sextant hosts fault noise sim-1 --core 2 --core 3 --resource memory --seconds 30",
    );
    const crash = { kind: "nf-crash" as const, nf_id: "web.router" };
    expect(faultText(crash)).toBe("router of web crashed");
    expect(cli.fault("sim-1", crash)).toBe("sextant hosts fault crash sim-1 web.router");
    const now = Date.parse(AT);
    expect(faultLeft({ fault: noise, since: AT, until: "2026-11-21T10:00:12Z" }, now)).toBe("12 s left");
    expect(faultLeft({ fault: noise, since: AT, until: AT }, now)).toBe("over");
    expect(faultLeft({ fault: crash, since: AT, until: null }, now)).toBe("until it is restarted");
  });

  it("is offered by hosts that say so, alone", () => {
    expect(offersFaults(view)).toBe(true);
    expect(offersFaults(plain)).toBe(false);
  });
});

describe("the form", () => {
  function open() {
    const layer = layerOf("cpu");
    const model = modelOf(view, new Map(), layer, new Set(), "labelled");
    const predictions = { forecasts: undefined, problem: null };
    const figures = { violations: [], figures: "present" as const, layer, predictions };
    const data: HostData = { host: view, model, nfs, chains: [], letters: new Map(), ...figures };
    return render(
      <QueryClientProvider client={new QueryClient()}>
        <FaultForm data={data} reason={null} />
      </QueryClientProvider>,
    );
  }

  it("orders what is chosen and says so", async () => {
    vi.mocked(injectFault).mockResolvedValue({ faults: [] });
    const { container } = open();
    await userEvent.click(screen.getByRole("radio", { name: "Flap a NIC" }));
    await userEvent.clear(screen.getByLabelText("For"));
    await userEvent.type(screen.getByLabelText("For"), "12");
    await userEvent.click(screen.getByRole("button", { name: "Inject the fault" }));
    expect(injectFault).toHaveBeenCalledExactlyOnceWith("sim-1", { kind: "nic-flap", port: "nic0", seconds: 12 });
    expect((await screen.findByRole("status")).textContent).toBe("Ordered: nic0 has no link.");
    const found = await axe.run(container, { rules: { region: { enabled: false } } });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it("orders nothing that is incomplete, and says what is missing", async () => {
    open();
    await userEvent.click(screen.getByRole("radio", { name: "Noisy neighbour" }));
    await userEvent.clear(screen.getByLabelText("Cores"));
    await userEvent.click(screen.getByRole("button", { name: "Inject the fault" }));
    expect(injectFault).not.toHaveBeenCalled();
    expect(screen.getByRole("tooltip").textContent).toBe("name at least one core.");
  });

  it("says why the agent refused", async () => {
    const detail = "core 2 runs web.nat; name one without NFs";
    vi.mocked(injectFault).mockRejectedValue(
      new ProblemError({
        type: "fault-refused",
        title: "The fault was refused",
        status: 422,
        detail,
        instance: null,
        errors: [],
        next_actions: [],
        difference: null,
        request_id: null,
      }),
    );
    open();
    await userEvent.click(screen.getByRole("button", { name: "Inject the fault" }));
    expect(await screen.findByText(detail)).toBeTruthy();
  });
});
