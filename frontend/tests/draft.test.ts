import { describe, expect, it } from "vitest";
import type { NfType } from "@/api/types";
import { chainFile, check, type Draft, EMPTY_DRAFT, movedNf, withNf, withoutNf } from "@/chains/draft";

const router: NfType = {
  name: "router",
  version: 1,
  short_name: "router",
  summary: "",
  library: "rte_lpm",
  config_schema: {},
  artefacts: [],
};
const good: Draft = withNf({ ...EMPTY_DRAFT, name: "web-edge" }, router, -1);
const errorsOf = (change: Partial<Draft>) => check({ ...good, ...change }).errors;

describe("chain form", () => {
  it("makes the body of the request", () => {
    expect(check({ ...good, minThroughput: "0.05", dstPort: "4500" })).toMatchObject({
      errors: [],
      spec: {
        name: "web-edge",
        nfs: [{ type: "router", name: "router", config: {} }],
        traffic: { rate_mpps: 0.1, packet_bytes: 128, flows: 1000 },
        slo: { min_throughput_mpps: 0.05, max_p95_ms: null },
        ingress: { host: null, match: { dst_port: 4500 } },
      },
    });
  });

  it.each([
    ["name", { name: "" }],
    ["name", { name: "Web_Edge" }],
    ["name", { name: "a".repeat(64) }],
    ["nfs", { nfs: [] }],
    ["traffic.rate_mpps", { rate: "-1" }],
    ["traffic.rate_mpps", { rate: "149" }],
    ["traffic.rate_mpps", { rate: "0,5" }],
    ["traffic.packet_bytes", { packetBytes: "63" }],
    ["traffic.packet_bytes", { packetBytes: "100.5" }],
    ["traffic.flows", { flows: "0" }],
    ["slo.min_throughput_mpps", { minThroughput: "0" }],
    ["slo.max_p95_ms", { maxP95: "fast" }],
    ["value", { value: "0" }],
    ["ingress.match.src_prefix", { srcPrefix: "10.0.0.0" }],
    ["ingress.match.dst_prefix", { dstPrefix: "300.0.0.0/8" }],
    ["ingress.match.dst_port", { dstPort: "65536" }],
  ] as const)("names the field %s", (field, change) => {
    const errors = errorsOf(change as Partial<Draft>);
    expect(errors.map((error) => error.field)).toEqual([field]);
    expect(check({ ...good, ...(change as Partial<Draft>) }).spec).toBeNull();
  });

  it("names the NF whose name is taken or whose configuration is no object", () => {
    const [first] = good.nfs;
    if (!first) throw new Error("the draft has an NF");
    const nfs = [first, { ...first, key: "b" }, { ...first, key: "c", name: "third", config: "[1]" }];
    expect(errorsOf({ nfs }).map((error) => error.field)).toEqual(["nfs.1.name", "nfs.2.config"]);
    expect(errorsOf({ nfs: [{ ...first, config: "{" }] })[0]?.field).toBe("nfs.0.config");
  });

  it("adds after the chosen NF under a free name, moves and removes", () => {
    const two = withNf(good, router, 0);
    expect(two.nfs.map((nf) => nf.name)).toEqual(["router", "router-2"]);
    expect(movedNf(two, 1, -1).nfs.map((nf) => nf.name)).toEqual(["router-2", "router"]);
    expect(movedNf(two, 0, -1)).toBe(two);
    expect(movedNf(two, 1, 1)).toBe(two);
    expect(withoutNf(two, 0).nfs.map((nf) => nf.name)).toEqual(["router-2"]);
  });

  it("writes the chain file that the command line reads", () => {
    const { spec } = check(good);
    if (!spec) throw new Error("the draft is good");
    expect(JSON.parse(chainFile(spec))).toMatchObject({ apiVersion: "sextant/v1", kind: "Chain", name: "web-edge" });
  });
});
