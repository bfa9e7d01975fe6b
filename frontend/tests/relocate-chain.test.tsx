/** Where a chain may be moved to by hand, and what is said of hosts that take nothing. */

import { describe, expect, it } from "vitest";
import type { ChainView } from "@/api/types";
import { choicesOf, exchangeable } from "@/chains/relocate-chain";
import { cli } from "@/session/cli";
import { AT, chain, host, seat } from "./fixtures";

describe("hosts that a chain may be moved to", () => {
  it("are all but its own, by name; those that take nothing say why", () => {
    const hosts = [
      host("sim-2"),
      host("edge-1"),
      { ...host("sim-3"), cordon: { reason: "new memory", by: "ada", since: AT } },
      { ...host("sim-1"), status: "stale" as const },
    ];
    expect(choicesOf(new Map(hosts.map((one) => [one.host_id, one])), "edge-1")).toEqual([
      { key: "sim-1", text: "sim-1", note: "stale", disabled: true },
      { key: "sim-2", text: "sim-2", note: "", disabled: false },
      { key: "sim-3", text: "sim-3", note: "cordoned: new memory", disabled: true },
    ]);
  });

  it("give back what runs there, or nothing", () => {
    const on = (name: string, host: string, state: ChainView["state"] = "running") =>
      chain(name, {
        state,
        placement: [{ nf_id: `${name}.router`, chain: name, position: 0, nf_type: "router", seat: seat(host, 1) }],
      });
    const chains = [on("nat", "sim-2"), on("dns", "sim-2"), on("old", "sim-2", "removing"), on("vpn", "sim-3")];
    const known = new Map(chains.map((one) => [one.spec.name, one]));
    expect(exchangeable(known, "sim-2").map(({ text }) => text)).toEqual(["no chain", "dns", "nat"]);
  });

  it("are named by the commands that do the same", () => {
    expect(cli.relocate("web", "sim-2")).toBe("sextant chains relocate web --host sim-2");
    expect(cli.relocate("web", "sim-2", ["dns"])).toBe("sextant chains relocate web --host sim-2 --exchange dns");
    expect(cli.drain("sim-1", "new memory")).toBe("sextant hosts drain sim-1 --reason 'new memory'");
    expect(cli.drain("sim-1")).toBe("sextant hosts drain sim-1");
  });
});
