/** Where a chain may be moved to by hand, and what is said of hosts that take nothing. */

import { describe, expect, it } from "vitest";
import { choicesOf } from "@/chains/relocate-chain";
import { cli } from "@/session/cli";
import { AT, host } from "./fixtures";

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

  it("are named by the commands that do the same", () => {
    expect(cli.relocate("web", "sim-2")).toBe("sextant chains relocate web --host sim-2");
    expect(cli.drain("sim-1", "new memory")).toBe("sextant hosts drain sim-1 --reason 'new memory'");
    expect(cli.drain("sim-1")).toBe("sextant hosts drain sim-1");
  });
});
