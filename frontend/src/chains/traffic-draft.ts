/** The traffic of a chain as a form holds it, and its checks. Paths of errors are those of the API. Pure. */

import type { FieldError } from "@/api/types";
import { type NumberRule, numberReader, whyNot } from "@/lib/numbers";
import {
  type HeaderKind,
  headerBytes,
  MAX_RATE,
  meanBytes,
  peakFactor,
  roundHalfEven,
  sharesOf,
  type Traffic,
} from "./traffic-figures";

/** Every kind keeps what was typed for it while another is chosen. */
export interface TrafficDraft {
  readonly rate: string;
  readonly packetBytes: string;
  readonly flows: string;
  readonly packets: "made" | "capture";
  readonly sizes: "fixed" | "imix" | "list";
  /** "64:7, 594:4" */
  readonly sizeList: string;
  readonly arrivals: "constant" | "poisson" | "on-off" | "trace";
  readonly onMs: string;
  readonly offMs: string;
  /** "10:1, 5:3" */
  readonly steps: string;
  readonly distribution: "round-robin" | "uniform" | "zipf";
  readonly exponent: string;
  readonly payload: "zero" | "random" | "matches";
  readonly percent: string;
  /** One a line. */
  readonly strings: string;
  /** Digest of the capture. */
  readonly capture: string | null;
  readonly timing: "rate" | "file";
  readonly seed: string;
}

export const EMPTY_TRAFFIC: TrafficDraft = {
  rate: "0.1",
  packetBytes: "128",
  flows: "1000",
  packets: "made",
  sizes: "fixed",
  sizeList: "64:7, 594:4, 1518:1",
  arrivals: "constant",
  onMs: "10",
  offMs: "40",
  steps: "10:1, 5:3",
  distribution: "round-robin",
  exponent: "1.1",
  payload: "zero",
  percent: "5",
  strings: "",
  capture: null,
  timing: "rate",
  seed: "",
};

type Wrong = (field: string, message: string) => void;

export interface CheckedTraffic {
  /** Null while something is wrong. */
  readonly traffic: Traffic | null;
  /** As far as it can be read; of no account where an error is. */
  readonly read: Traffic;
  readonly errors: readonly FieldError[];
}

/** What would be sent, or what is wrong. */
export function checkTraffic(draft: TrafficDraft, headers: HeaderKind): CheckedTraffic {
  const errors: FieldError[] = [];
  const wrong: Wrong = (field, message) => errors.push({ field: `traffic.${field}`, message });
  const number = numberReader(wrong);
  const capture = draft.packets === "capture";
  const sizes = capture ? null : readSizes(draft, wrong);
  const rule = { least: 64, most: 1518, whole: true };
  const traffic: Traffic = {
    rate_mpps: number("rate_mpps", draft.rate, { least: 0, most: MAX_RATE }),
    packet_bytes: sizes ? roundHalfEven(meanBytes(sizes)) : number("packet_bytes", draft.packetBytes, rule),
    flows: capture ? 1000 : number("flows", draft.flows, { least: 1, most: 1_000_000, whole: true }),
    ...(sizes && { sizes }),
    ...(capture ? { pcap: readCapture(draft, wrong) } : readMade(draft, wrong)),
    ...readArrivals(draft, wrong),
    ...(draft.seed.trim() !== "" && { seed: number("seed", draft.seed, { least: 0, most: 2 ** 32 - 1, whole: true }) }),
  };
  if (errors.length === 0) checkTogether(traffic, headers, wrong);
  return { traffic: errors.length === 0 ? traffic : null, read: traffic, errors };
}

/** Whether nothing is wrong at or inside these fields of traffic. */
export function isSound(errors: readonly FieldError[], ...fields: string[]): boolean {
  return !errors.some((error) => fields.some((field) => isWithin(error.field, `traffic.${field}`)));
}

/** `traffic.sizes.entries` is within `traffic.sizes`. */
export function isWithin(path: string, outer: string): boolean {
  return path === outer || path.startsWith(`${outer}.`);
}

/** What only the fields together can break. */
function checkTogether(traffic: Traffic, headers: HeaderKind, wrong: Wrong): void {
  const peak = traffic.rate_mpps * peakFactor(traffic.arrivals);
  if (peak > MAX_RATE) {
    const needed = peak.toPrecision(4);
    wrong("arrivals", `the peak needs ${needed} Mpps, more than ${MAX_RATE}: lower the rate or the peak`);
  }
  const smallest = Math.min(
    ...sharesOf(traffic.sizes ?? { kind: "fixed", bytes: traffic.packet_bytes }).map(([b]) => b),
  );
  const room = smallest - headerBytes(headers);
  const kind = `${headers.protocol} over IPv${headers.version}`;
  if (room < 0 && !traffic.pcap) {
    wrong(traffic.sizes ? "sizes" : "packet_bytes", `${kind} needs packets of ${headerBytes(headers)} bytes or more`);
    return;
  }
  if (traffic.payload?.kind !== "matches") return;
  const long = traffic.payload.strings.find((text) => bytesOf(text) > room);
  if (long === undefined) return;
  wrong(
    "payload.strings",
    `'${long}' does not fit into a ${smallest}-byte ${headers.protocol} packet: it has room for ${room}`,
  );
}

function readSizes(draft: TrafficDraft, wrong: Wrong): Traffic["sizes"] {
  if (draft.sizes === "fixed") return null;
  if (draft.sizes === "imix") return { kind: "imix" };
  const bytes = { least: 64, most: 1518, whole: true };
  const weight = { least: 1, most: 1_000_000, whole: true };
  const pairs = readPairs(draft.sizeList, 16, [bytes, weight], "bytes:weight, such as 64:7", (message) =>
    wrong("sizes.entries", message),
  );
  return pairs && { kind: "list", entries: pairs.map(([bytes, weight]) => ({ bytes, weight })) };
}

function readArrivals(draft: TrafficDraft, wrong: Wrong): Pick<Traffic, "arrivals"> {
  const number = numberReader(wrong);
  const ms = { least: 1, most: 60_000 };
  if (draft.packets === "capture" && draft.timing === "file") return {};
  switch (draft.arrivals) {
    case "constant":
      return {};
    case "poisson":
      return { arrivals: { kind: "poisson" } };
    case "on-off": {
      const on_ms = number("arrivals.on_ms", draft.onMs, ms);
      return { arrivals: { kind: "on-off", on_ms, off_ms: number("arrivals.off_ms", draft.offMs, ms) } };
    }
    case "trace": {
      const say = (message: string) => wrong("arrivals.steps", message);
      const rules: [NumberRule, NumberRule] = [
        { least: 0.001, most: 3600 },
        { least: 0, most: 1000 },
      ];
      const pairs = readPairs(draft.steps, 64, rules, "seconds:factor, such as 10:0.5", say) ?? [];
      const steps = pairs.map(([seconds, factor]) => ({ seconds, factor }));
      if (steps.length > 0 && steps.every(({ factor }) => factor === 0)) say("at least one factor must be above 0");
      return { arrivals: { kind: "trace", steps } };
    }
  }
}

/** What only packets have that are made for the match. */
function readMade(draft: TrafficDraft, wrong: Wrong): Pick<Traffic, "flow_distribution" | "payload"> {
  const number = numberReader(wrong);
  const exponent = { least: 0.01, most: 4 };
  return {
    ...(draft.distribution === "uniform" && { flow_distribution: { kind: "uniform" } }),
    ...(draft.distribution === "zipf" && {
      flow_distribution: { kind: "zipf", exponent: number("flow_distribution.exponent", draft.exponent, exponent) },
    }),
    ...(draft.payload === "random" && { payload: { kind: "random" } }),
    ...(draft.payload === "matches" && {
      payload: {
        kind: "matches",
        percent: number("payload.percent", draft.percent, { least: 0, most: 100 }),
        strings: readStrings(draft.strings, wrong),
      },
    }),
  };
}

function readStrings(text: string, wrong: Wrong): string[] {
  const strings = text.split("\n").filter((line) => line !== "");
  const bad = strings.find((line) => bytesOf(line) < 4 || bytesOf(line) > 64);
  if (strings.length === 0) wrong("payload.strings", "at least one string is needed");
  else if (strings.length > 32) wrong("payload.strings", `at most 32, not ${strings.length}`);
  else if (bad !== undefined) wrong("payload.strings", `'${bad}' must have 4 to 64 bytes in UTF-8`);
  return strings;
}

function readCapture({ capture, timing }: TrafficDraft, wrong: Wrong): { file: string; timing: "rate" | "file" } {
  if (capture === null) wrong("pcap.file", "choose a capture, or upload one");
  return { file: capture ?? "", timing };
}

/** "64:7, 594:4" as numbers; null, and said why, where one of them is wrong. */
function readPairs(
  text: string,
  most: number,
  rules: readonly [NumberRule, NumberRule],
  form: string,
  say: (message: string) => void,
): [number, number][] | null {
  const items = text.split(/[,\n]/).filter((item) => item.trim() !== "");
  if (items.length === 0 || items.length > most) {
    say(items.length === 0 ? `at least one is needed: ${form}` : `at most ${most}, not ${items.length}`);
    return null;
  }
  const pairs: [number, number][] = [];
  for (const item of items) {
    const [first = "", second = "", ...others] = item.split(":");
    const why = whyNot(first, rules[0]) ?? whyNot(second, rules[1]);
    if (others.length > 0 || why) {
      say(second === "" || others.length > 0 ? `'${item.trim()}' must be ${form}` : `'${item.trim()}': ${why}`);
      return null;
    }
    pairs.push([Number(first), Number(second)]);
  }
  return pairs;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
