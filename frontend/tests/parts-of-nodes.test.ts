/** Layers Ways and Bandwidth of the map: who has which part of its node of its own. */

import { describe, expect, it } from "vitest";
import type { ChainControl, NfView } from "@/api/types";
import { cellText, layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { whyMissing } from "@/fleet/why-missing";
import { host, nf } from "./fixtures";

const seated = (id: string, core: number, seat: Partial<NfView["seat"]>) => {
  const bare = nf(id, "h", core);
  return { ...bare, seat: { ...bare.seat, ...seat } };
};
/** `web` has 4 ways and half the bandwidth for all its NFs together, `dns.nat` two ways for itself, `log.router` nothing. */
const NFS = [
  seated("web.router", 0, { chain_llc_ways: 4, chain_memory_bandwidth_percent: 50 }),
  seated("dns.nat", 1, { llc_ways: 2, memory_bandwidth_percent: 100 }),
  seated("log.router", 2, {}),
];
const GAVE: ChainControl = {
  chain: "web",
  law: "numasfp",
  law_version: 1,
  llc_ways: 6,
  memory_bandwidth_percent: 100,
  state: "in_full",
  table: "1",
};

function values(key: "ways" | "bandwidth", nfs: readonly NfView[], controls: ChainControl[] = []) {
  const view = host("h", 1, 3, 1, { controls });
  const model = modelOf(view, new Map(nfs.map((one) => [one.nf_id, one])), layerOf(key), new Set(), "labelled");
  return { values: model.units.map(({ value }) => value), why: whyMissing(layerOf(key), [model]) };
}

describe("parts of a node", () => {
  it("show what an NF has, for itself or with its chain, and nothing where it shares what is left", () => {
    expect(values("ways", NFS)).toEqual({ values: [4, 2, null], why: null });
    expect(values("bandwidth", NFS)).toEqual({ values: [50, null, null], why: null });
  });

  it("show what a law gave in place of what was ordered; all of the bandwidth is no limit", () => {
    expect(values("ways", NFS, [GAVE]).values).toEqual([6, 2, null]);
    expect(values("bandwidth", NFS, [GAVE])).toEqual({ values: [null, null, null], why: "no NF here has a limit" });
  });

  it("give nothing of a law to a chain that no order gave a part", () => {
    expect(values("ways", NFS.slice(2), [{ ...GAVE, chain: "log" }]).values).toEqual([null, null, null]);
  });

  it("say why all is empty, and write ways as whole numbers", () => {
    expect(values("ways", NFS.slice(2)).why).toBe("no NF here has ways of its own");
    expect(cellText(layerOf("ways"), NFS[0] as NfView, 4)).toBe("4");
    expect(cellText(layerOf("ways"), NFS[2] as NfView, null)).toBe("–");
  });
});
