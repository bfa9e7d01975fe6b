/** A chain's specification as the form holds it: of a chain to start from, or of an imported one. Pure. */

import type { ChainSpec, NfType } from "@/api/types";
import { type Config, configText, isReference, secretSettings } from "@/nf-types/config";
import { type Draft, type DraftNf, EMPTY_DRAFT } from "./draft";
import { EMPTY_TRAFFIC, type TrafficDraft } from "./traffic-draft";

export interface Copied {
  readonly draft: Draft;
  /** What the form has no field for, or must not carry over, in words. */
  readonly left: readonly string[];
}

/** Without a name: two chains of one name cannot be. Secrets are not carried over: two tunnels want two keys. */
export function copyOf(spec: ChainSpec, types: readonly NfType[]): Copied {
  const left: string[] = [];
  const nfs = spec.nfs.map((nf, index) => {
    const config = nf.config ?? {};
    const secrets = Object.keys(config).filter((name) => isReference(config[name]));
    if (secrets.length > 0) left.push(`${secrets.join(", ")} of ${nf.name}`);
    const type = types.find(({ name }) => name === nf.type);
    return nfDraft(nf, index, without(config, secrets), type ? secretSettings(type) : []);
  });
  const { ingress, egress } = spec;
  if (ingress?.port != null) left.push("its ingress port");
  if (spec.part) left.push("what of it stands on other hosts");
  if (egress?.host != null || egress?.port != null) left.push("where it leaves");
  return { draft: { ...restOf(spec), name: "", nfs }, left };
}

/** A specification that came from a file, under its own name. */
export function draftOf(spec: ChainSpec): Draft {
  return { ...restOf(spec), name: spec.name, nfs: spec.nfs.map((nf, at) => nfDraft(nf, at, nf.config ?? {}, [])) };
}

function nfDraft(nf: ChainSpec["nfs"][number], index: number, config: Config, secrets: readonly string[]): DraftNf {
  return {
    key: `of-${index}-${nf.name}`,
    type: nf.type,
    name: nf.name,
    config: configText(config),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets.map((name) => [name, ""])) }),
    cpuShare: textOf(nf.cpu_share),
    cpuQuota: textOf(nf.cpu_quota_percent),
    ...(nf.tied != null && { tied: nf.tied }),
  };
}

function without(config: Config, names: readonly string[]): Config {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !names.includes(name)));
}

function restOf(spec: ChainSpec): Omit<Draft, "name" | "nfs"> {
  const { match, host } = spec.ingress ?? {};
  return {
    ...trafficOf(spec.traffic),
    execution: spec.execution ?? EMPTY_DRAFT.execution,
    minThroughput: textOf(spec.slo?.min_throughput_mpps),
    maxP95: textOf(spec.slo?.max_p95_ms),
    value: textOf(spec.value ?? 1),
    group: spec.anti_affinity?.group ?? "",
    scope: spec.anti_affinity?.scope ?? "host",
    host: host ?? "",
    srcPrefix: match?.src_prefix ?? EMPTY_DRAFT.srcPrefix,
    dstPrefix: match?.dst_prefix ?? EMPTY_DRAFT.dstPrefix,
    protocol: match?.protocol ?? EMPTY_DRAFT.protocol,
    dstPort: textOf(match?.dst_port),
  };
}

function trafficOf({ rate_mpps, packet_bytes, flows, seed, pcap, ...traffic }: ChainSpec["traffic"]): TrafficDraft {
  return {
    ...EMPTY_TRAFFIC,
    rate: String(rate_mpps),
    packetBytes: String(packet_bytes),
    flows: String(flows),
    seed: seed ? String(seed) : "",
    ...(pcap && { packets: "capture" as const, capture: pcap.file, timing: pcap.timing ?? "rate" }),
    ...sizesOf(traffic.sizes),
    ...arrivalsOf(traffic.arrivals),
    ...distributionOf(traffic.flow_distribution),
    ...payloadOf(traffic.payload),
  };
}

function sizesOf(sizes: ChainSpec["traffic"]["sizes"]): Partial<TrafficDraft> {
  if (sizes == null) return {};
  if (sizes.kind !== "list") return { sizes: "imix" };
  return { sizes: "list", sizeList: sizes.entries.map(({ bytes, weight }) => `${bytes}:${weight}`).join(", ") };
}

function arrivalsOf(arrivals: ChainSpec["traffic"]["arrivals"]): Partial<TrafficDraft> {
  switch (arrivals?.kind) {
    case "poisson":
      return { arrivals: "poisson" };
    case "on-off":
      return { arrivals: "on-off", onMs: String(arrivals.on_ms), offMs: String(arrivals.off_ms) };
    case "trace": {
      const steps = arrivals.steps.map(({ seconds, factor }) => `${seconds}:${factor}`).join(", ");
      return { arrivals: "trace", steps };
    }
    default:
      return {};
  }
}

function distributionOf(distribution: ChainSpec["traffic"]["flow_distribution"]): Partial<TrafficDraft> {
  if (distribution?.kind === "zipf") return { distribution: "zipf", exponent: String(distribution.exponent) };
  return distribution?.kind === "uniform" ? { distribution: "uniform" } : {};
}

function payloadOf(payload: ChainSpec["traffic"]["payload"]): Partial<TrafficDraft> {
  if (payload?.kind === "matches") {
    return { payload: "matches", percent: String(payload.percent), strings: payload.strings.join("\n") };
  }
  return payload?.kind === "random" ? { payload: "random" } : {};
}

function textOf(number: number | null | undefined): string {
  return number == null ? "" : String(number);
}
