import { describe, expect, it } from "vitest";
import type { ChainSpec, NfType } from "@/api/types";
import { check } from "@/chains/draft";
import { copyOf, draftOf } from "@/chains/draft-of";
import { usualDrafts } from "@/chains/start-from";

const KEY = `secret:${"0a".repeat(16)}`;
const type = (name: string, secret?: string): NfType => ({
  name,
  version: 1,
  short_name: name,
  summary: "",
  library: "",
  config_schema: secret ? { properties: { [secret]: { type: "string", writeOnly: true } } } : {},
  artefacts: [],
  implementation: null,
});
const TYPES = [type("firewall"), type("vpn", "key")];

/** Nothing of it as an empty form has it. */
const FULL: ChainSpec = {
  name: "branch",
  nfs: [
    { type: "firewall", name: "outer", config: { synthetic_rules: 50 }, cpu_share: 300, cpu_quota_percent: 40 },
    { type: "vpn", name: "vpn", config: { mode: "encrypt" }, cpu_share: null, cpu_quota_percent: null },
  ],
  ingress: {
    host: "edge-1",
    port: null,
    match: { src_prefix: "10.20.0.0/16", dst_prefix: "192.168.7.0/24", protocol: "tcp", dst_port: 4500 },
  },
  egress: { host: null, port: null },
  execution: "isolated",
  paused: false,
  slo: { min_throughput_mpps: 0.015, max_p95_ms: 2.5 },
  value: 3,
  anti_affinity: { group: "branches", scope: "node" },
  traffic: { rate_mpps: 0.02, packet_bytes: 512, flows: 2000 },
};
const TRAFFIC: ChainSpec["traffic"][] = [
  { rate_mpps: 0.02, packet_bytes: 362, flows: 2000, sizes: { kind: "imix" }, arrivals: { kind: "poisson" } }, // (64 x 7 + 594 x 4 + 1518) / 12
  {
    rate_mpps: 1,
    packet_bytes: 116, // (64 x 3 + 272) / 4
    flows: 10,
    sizes: {
      kind: "list",
      entries: [
        { bytes: 64, weight: 3 },
        { bytes: 272, weight: 1 },
      ],
    },
    arrivals: { kind: "on-off", on_ms: 5, off_ms: 20 },
    flow_distribution: { kind: "zipf", exponent: 1.2 },
    payload: { kind: "random" },
    seed: 7,
  },
  {
    rate_mpps: 1,
    packet_bytes: 128,
    flows: 10,
    arrivals: {
      kind: "trace",
      steps: [
        { seconds: 60, factor: 1 },
        { seconds: 10, factor: 4 },
      ],
    },
    flow_distribution: { kind: "uniform" },
    payload: { kind: "matches", percent: 5, strings: ["/etc/passwd", "cmd.exe"] },
  },
  { rate_mpps: 1, packet_bytes: 128, flows: 1000, pcap: { file: `sha256:${"b".repeat(64)}`, timing: "file" } },
];

describe("a specification as the form holds it", () => {
  it("makes the same request again, whatever its traffic", () => {
    for (const traffic of [FULL.traffic, ...TRAFFIC]) {
      const spec = { ...FULL, traffic };
      expect(check(draftOf(spec))).toEqual({ spec, parts: [], errors: [] });
    }
  });

  it("is copied under no name, without its secrets, and says what is not copied", () => {
    const [firewall, vpn] = FULL.nfs;
    const nfs = [firewall, { ...vpn, config: { mode: "encrypt", key: KEY } }] as ChainSpec["nfs"];
    const { draft, left } = copyOf({ ...FULL, nfs, egress: { host: "edge-2", port: null } }, TYPES);
    expect(draft.name).toBe("");
    expect(JSON.stringify(draft)).not.toContain(KEY);
    expect(draft.nfs[1]?.secrets).toEqual({ key: "" });
    expect(left).toEqual(["key of vpn", "where it leaves"]);
    expect(check({ ...draft, name: "branch" }).spec).toEqual(FULL);
  });
});

describe("usual chains", () => {
  it("are offered where the catalogue has all their NF types", () => {
    expect([...usualDrafts(TYPES).keys()]).toEqual([]);
    const usual = usualDrafts([...TYPES, type("nids")]);
    expect([...usual.keys()]).toEqual(["Intrusion detection"]);
    const draft = usual.get("Intrusion detection");
    expect(draft?.nfs.map(({ name }) => name)).toEqual(["firewall", "nids"]);
  });
});
