import { describe, expect, it } from "vitest";
import type { NfType, PlanBody } from "@/api/types";
import { chainFile, check, type Draft, EMPTY_DRAFT, movedNf, withNf, withoutNf } from "@/chains/draft";
import { forgetDraft, loadDraft, saveDraft } from "@/chains/keep-draft";
import { runWords } from "@/plans/run-words";
import { startSettings } from "@/plans/start-settings";

type HostContent = PlanBody["target"][number]["content"];

const router: NfType = {
  name: "router",
  version: 1,
  short_name: "router",
  summary: "",
  library: "rte_lpm",
  config_schema: {},
  artefacts: [],
  implementation: null,
};
const good: Draft = withNf({ ...EMPTY_DRAFT, name: "web-edge" }, router, -1);
const errorsOf = (change: Partial<Draft>) => check({ ...good, ...change }).errors;

describe("how a chain runs, in words", () => {
  const plain = { execution: "isolated", paused: false, nfs: [{ name: "router" }] } as const;

  it("says nothing of what is as ever", () => {
    expect(runWords(plain)).toBe("");
  });

  it("names what is asked for", () => {
    const nfs = [
      { name: "router", cpu_share: 300, cpu_quota_percent: 40 },
      { name: "nids", cpu_quota_percent: 12.5 },
    ];
    expect(runWords({ ...plain, nfs })).toBe("router: CPU share 300, at most 40 %; nids: at most 12.5 %");
    expect(runWords({ ...plain, execution: "run-to-completion", paused: true })).toBe("run to completion; paused");
  });

  it("is listed for chains that a plan starts, not of those that run", () => {
    const seat = {
      host: "h",
      node: 0,
      core: 1,
      slot: 0,
      llc_ways: null,
      memory_bandwidth_percent: null,
      cpu_share: null,
    };
    const order = (name: string) => ({
      chain: name,
      nfs: [
        { nf_id: `${name}.router`, nf_type: "router", nf_version: 1, config: {}, core: 1, slot: 0, cpu_share: 300 },
      ],
      ingress: { host: null, port: null, match: { src_prefix: "", dst_prefix: "", protocol: "udp" as const } },
      egress: { host: null, port: null },
      traffic: { rate_mpps: 1, packet_bytes: 64, flows: 1 },
    });
    // An order leaves out what is as ever.
    const content = { host_id: "h", chains: [order("new"), order("old")] } as unknown as HostContent;
    const change = { kind: "start" as const, nf_id: "new.router", chain: "new", nf_type: "router", reason: "" };
    expect(
      startSettings({
        changes: [{ ...change, source: null, target: seat, gain_mpps: null }],
        target: [{ generation: 1, digest: "", content }],
      }),
    ).toEqual([["new", "router: CPU share 300"]]);
  });
});

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
    ["ingress.match.src_prefix", { srcPrefix: "10.0.0.1/8" }],
    ["ingress.match.dst_prefix", { dstPrefix: "2001:db8::/32" }],
    ["ingress.match.src_prefix", { srcPrefix: "fe80::/64", dstPrefix: "2001:db8::/32" }],
    ["traffic.packet_bytes", { srcPrefix: "fd00::/8", dstPrefix: "2001:db8::/32", protocol: "tcp", packetBytes: "73" }],
    ["traffic.sizes", { srcPrefix: "fd00::/8", dstPrefix: "2001:db8::/32", protocol: "tcp", sizes: "imix" }],
    ["ingress.match.dst_port", { dstPort: "65536" }],
  ] as const)("names the field %s", (field, change) => {
    const errors = errorsOf(change as Partial<Draft>);
    expect(errors.map((error) => error.field)).toEqual([field]);
    expect(check({ ...good, ...(change as Partial<Draft>) }).spec).toBeNull();
  });

  it("sends prefixes of IPv6 in canonical form", () => {
    const change = { srcPrefix: " 2001:0DB8:A::/48", dstPrefix: "fd00:0:0:0::/64", protocol: "tcp", packetBytes: "74" };
    expect(check({ ...good, ...(change as Partial<Draft>) })).toMatchObject({
      errors: [],
      spec: { ingress: { match: { src_prefix: "2001:db8:a::/48", dst_prefix: "fd00::/64" } } },
    });
  });

  it("names the NF whose name is taken or whose configuration is no object", () => {
    const [first] = good.nfs;
    if (!first) throw new Error("the draft has an NF");
    const nfs = [first, { ...first, key: "b" }, { ...first, key: "c", name: "third", config: "[1]" }];
    expect(errorsOf({ nfs }).map((error) => error.field)).toEqual(["nfs.1.name", "nfs.2.config"]);
    expect(errorsOf({ nfs: [{ ...first, config: "{" }] })[0]?.field).toBe("nfs.0.config");
  });

  it("sends how the chain runs, and the CPU of each NF that names one", () => {
    const [first] = withNf(good, router, 0).nfs;
    if (!first) throw new Error("the draft has an NF");
    const nfs = [
      { ...first, cpuShare: "300", cpuQuota: "40.5" },
      { ...first, key: "b", name: "plain" },
    ];
    expect(check({ ...good, nfs }).spec).toMatchObject({
      execution: "isolated",
      nfs: [
        { cpu_share: 300, cpu_quota_percent: 40.5 },
        { cpu_share: null, cpu_quota_percent: null },
      ],
    });
    expect(check({ ...good, execution: "run-to-completion" }).spec?.execution).toBe("run-to-completion");
    expect(errorsOf({ nfs, execution: "run-to-completion" }).map(({ field }) => field)).toEqual([
      "nfs.0.cpu_share",
      "nfs.0.cpu_quota_percent",
    ]);
  });

  it.each([
    ["nfs.0.cpu_share", { cpuShare: "0" }],
    ["nfs.0.cpu_share", { cpuShare: "1.5" }],
    ["nfs.0.cpu_quota_percent", { cpuQuota: "101" }],
  ])("names the CPU field %s", (field, change) => {
    expect(errorsOf({ nfs: good.nfs.map((nf) => ({ ...nf, ...change })) }).map((error) => error.field)).toEqual([
      field,
    ]);
  });

  it("completes a draft that an older page kept", () => {
    const { cpuShare: _share, cpuQuota: _quota, ...older } = good.nfs[0] ?? { cpuShare: "", cpuQuota: "" };
    const { execution: _execution, ...rest } = good;
    sessionStorage.setItem("sextant-chain-draft", JSON.stringify({ ...rest, nfs: [older] }));
    expect(loadDraft()).toEqual(good);
    saveDraft({ ...good, execution: "run-to-completion" });
    expect(loadDraft().execution).toBe("run-to-completion");
    forgetDraft();
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
