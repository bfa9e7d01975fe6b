/** A chain's traffic in words, the same on every page: "0.10 Mpps of IMIX 7:4:1, Poisson, 1 000 flows". Pure. */

import type { ChainSample } from "@/api/types";
import { count, figure, shortDigest, thousands } from "@/lib/format";
import { laneWords } from "./lanes";
import { type Arrivals, type Sizes, sharesOf, type Traffic } from "./traffic-figures";

/** Rate, sizes, arrivals, flows, payload; what a packet source does by itself is not said. */
export function trafficWords(traffic: Traffic): string {
  return [
    rateWords(traffic),
    arrivalsWords(traffic.arrivals ?? null),
    ...(traffic.pcap ? [] : [flowsWords(traffic), payloadWords(traffic.payload ?? null)]),
    traffic.seed === null || traffic.seed === undefined ? null : `seed ${traffic.seed}`,
    traffic.lane ? laneWords(traffic.lane) : null,
  ]
    .filter((words) => words !== null)
    .join(", ");
}

function rateWords({ rate_mpps, pcap, sizes, packet_bytes }: Traffic): string {
  const rate = `${figure(rate_mpps)} Mpps`;
  if (!pcap) return `${rate} of ${sizesWords(sizes ?? { kind: "fixed", bytes: packet_bytes })}`;
  const capture = `capture ${shortDigest(pcap.file)}`;
  // The file's gaps alone say how fast it goes, unless nothing is to be sent.
  return pcap.timing === "file" && rate_mpps > 0 ? `${capture} at its own pace` : `${rate} of ${capture}`;
}

/** Sizes that are named one by one; more are counted. */
const NAMED = 4;

/** "128 B", "IMIX 7:4:1", "64, 1 518 B at 3:1", "6 sizes of 64 to 1 518 B". */
export function sizesWords(sizes: Sizes): string {
  const shares = sharesOf(sizes);
  const weights = shares.map(([, weight]) => weight).join(":");
  if (sizes.kind === "imix") return `IMIX ${weights}`;
  const bytes = shares.map(([size]) => size);
  if (shares.length === 1) return `${bytes.map(thousands).join("")} B`;
  if (shares.length <= NAMED) return `${bytes.map(thousands).join(", ")} B at ${weights}`;
  return `${shares.length} sizes of ${thousands(Math.min(...bytes))} to ${thousands(Math.max(...bytes))} B`;
}

/** "Poisson", "bursts of 10 ms every 50 ms", "a trace of 3 steps in 60 s"; null where they come evenly. */
export function arrivalsWords(arrivals: Arrivals | null): string | null {
  switch (arrivals?.kind) {
    case "poisson":
      return "Poisson";
    case "on-off":
      return `bursts of ${plain(arrivals.on_ms)} ms every ${plain(arrivals.on_ms + arrivals.off_ms)} ms`;
    case "trace": {
      const seconds = arrivals.steps.reduce((total, step) => total + step.seconds, 0);
      return `a trace of ${count(arrivals.steps.length, "step")} in ${plain(seconds)} s`;
    }
    default:
      return null;
  }
}

/** As it was typed: sums of decimals without their rounding errors. */
function plain(value: number): string {
  return String(Number(value.toPrecision(9)));
}

/** "1 000 flows", "zipf 1.1 over 10 000 flows". */
export function flowsWords({ flows, flow_distribution: by }: Traffic): string {
  const all = count(flows, "flow");
  if (by?.kind === "zipf") return `zipf ${by.exponent} over ${all}`;
  return by?.kind === "uniform" ? `uniform over ${all}` : all;
}

/** "random payload", "5 % with one of 3 strings"; null for zeros. */
export function payloadWords(payload: Traffic["payload"] | null): string | null {
  if (payload?.kind === "random") return "random payload";
  if (payload?.kind !== "matches") return null;
  const { percent, strings } = payload;
  const one = strings.length === 1 ? `'${strings[0]}'` : `one of ${strings.length} strings`;
  return `${percent} % with ${one}`;
}

/** "0.10 Mpps, 0.29 Gbps"; bytes are not counted everywhere. */
export function deliveredText(sample: ChainSample | null): string {
  const gbps = sample?.delivered_gbps;
  const bytes = gbps === null || gbps === undefined ? "" : `, ${figure(gbps)} Gbps`;
  return `${figure(sample?.delivered_mpps)} Mpps${bytes}`;
}
