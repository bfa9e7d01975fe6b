import { describe, expect, it } from "vitest";
import { arrivalBars } from "@/chains/arrivals-shape";
import { checkTraffic, EMPTY_TRAFFIC, isSound, type TrafficDraft } from "@/chains/traffic-draft";
import { meanBytes, offered, peakFactor, roundHalfEven, type Traffic } from "@/chains/traffic-figures";
import { trafficWords } from "@/chains/traffic-words";

const DIGEST = `sha256:1a2b3c4d${"0".repeat(56)}`;
const plain: Traffic = { rate_mpps: 0.1, packet_bytes: 128, flows: 10_000 };
const of = (change: Partial<TrafficDraft>, protocol: "udp" | "tcp" = "udp") =>
  checkTraffic({ ...EMPTY_TRAFFIC, ...change }, { protocol, version: 4 });

describe("traffic in words", () => {
  it.each([
    [{}, "0.10 Mpps of 128 B, 10\u2009000 flows"],
    [
      { sizes: { kind: "imix" }, arrivals: { kind: "poisson" }, flow_distribution: { kind: "zipf", exponent: 1.1 } },
      "0.10 Mpps of IMIX 7:4:1, Poisson, zipf 1.1 over 10\u2009000 flows",
    ],
    [
      {
        sizes: {
          kind: "list",
          entries: [
            { bytes: 64, weight: 3 },
            { bytes: 1518, weight: 1 },
          ],
        },
        payload: { kind: "matches", percent: 5, strings: ["evil", "worm"] },
      },
      "0.10 Mpps of 64, 1\u2009518 B at 3:1, 10\u2009000 flows, 5 % with one of 2 strings",
    ],
    [
      { arrivals: { kind: "on-off", on_ms: 10, off_ms: 40 }, flow_distribution: { kind: "uniform" }, seed: 7 },
      "0.10 Mpps of 128 B, bursts of 10 ms every 50 ms, uniform over 10\u2009000 flows, seed 7",
    ],
    [
      { pcap: { file: DIGEST, timing: "rate" }, arrivals: { kind: "poisson" } },
      "0.10 Mpps of capture 1a2b3c4d, Poisson",
    ],
    [{ pcap: { file: DIGEST, timing: "file" } }, "capture 1a2b3c4d at its own pace"],
  ] as const)("says %j", (change, words) => {
    expect(trafficWords({ ...plain, ...change } as Traffic)).toBe(words);
  });
});

describe("figures of traffic", () => {
  it("takes the mean of IMIX: (7 x 64 + 4 x 594 + 1518) / 12 = 361.8", () => {
    expect(meanBytes({ kind: "imix" })).toBeCloseTo(4342 / 12);
    expect(offered({ ...plain, rate_mpps: 1, sizes: { kind: "imix" } }).gbps).toBeCloseTo((4342 / 12) * 0.008);
  });

  it("rounds halves as the backend does", () => {
    expect([64.5, 65.5, 64.49, 64.51].map(roundHalfEven)).toEqual([64, 66, 64, 65]);
  });

  it("peaks at (on + off) / on in bursts, and at the largest step of a trace", () => {
    expect(peakFactor({ kind: "on-off", on_ms: 10, off_ms: 40 })).toBe(5);
    // The mean factor is (10 x 1 + 10 x 3) / 20 = 2.
    const steps = [1, 3].map((factor) => ({ seconds: 10, factor }));
    expect(peakFactor({ kind: "trace", steps })).toBe(1.5);
  });

  it.each([
    { kind: "constant" },
    { kind: "poisson" },
    { kind: "on-off", on_ms: 10, off_ms: 30 },
    { kind: "trace", steps: [{ seconds: 1, factor: 2 }] },
  ] as const)("draws $kind over the whole time, with the rate as its mean", (arrivals) => {
    const bars = arrivalBars(arrivals as Parameters<typeof arrivalBars>[0]);
    const last = bars.at(-1);
    expect((last?.start ?? 0) + (last?.width ?? 0)).toBeCloseTo(1);
    const mean = bars.reduce((sum, { width, factor }) => sum + width * factor, 0);
    expect(mean).toBeGreaterThan(0.85);
    expect(mean).toBeLessThan(1.15);
  });
});

describe("the traffic of a form", () => {
  it("says nothing of what is left as it is", () => {
    expect(of({}).traffic).toEqual({ rate_mpps: 0.1, packet_bytes: 128, flows: 1000 });
  });

  it("has the rounded mean for packet_bytes where sizes are drawn", () => {
    expect(of({ sizes: "imix", arrivals: "poisson", packetBytes: "nonsense" }).traffic).toEqual({
      rate_mpps: 0.1,
      packet_bytes: 362,
      flows: 1000,
      sizes: { kind: "imix" },
      arrivals: { kind: "poisson" },
    });
    expect(of({ sizes: "list", sizeList: " 64:1,\n65:1, " }).traffic).toMatchObject({
      packet_bytes: 64,
      sizes: { entries: [{ bytes: 64, weight: 1 }, { bytes: 65 }] },
    });
  });

  it("leaves out of a capture's traffic what the capture has itself", () => {
    const draft = { packets: "capture", capture: DIGEST, sizes: "imix", payload: "random", flows: "" } as const;
    expect(of({ ...draft, arrivals: "poisson" }).traffic).toEqual({
      rate_mpps: 0.1,
      packet_bytes: 128,
      flows: 1000,
      pcap: { file: DIGEST, timing: "rate" },
      arrivals: { kind: "poisson" },
    });
    expect(of({ ...draft, arrivals: "poisson", timing: "file" }).traffic).not.toHaveProperty("arrivals");
  });

  it("shows what can be read beside what is wrong", () => {
    const { traffic, read, errors } = of({ sizes: "imix", payload: "matches" });
    expect(traffic).toBeNull();
    expect(offered(read).bytes).toBeCloseTo(4342 / 12);
    expect([isSound(errors, "sizes", "rate_mpps"), isSound(errors, "payload")]).toEqual([true, false]);
  });

  it.each([
    ["traffic.sizes.entries", { sizes: "list", sizeList: "" }, "bytes:weight"],
    ["traffic.sizes.entries", { sizes: "list", sizeList: "64" }, "'64' must be bytes:weight"],
    ["traffic.sizes.entries", { sizes: "list", sizeList: "64:1, 63:2" }, "'63:2': at least 64"],
    ["traffic.sizes.entries", { sizes: "list", sizeList: Array(17).fill("64:1").join() }, "at most 16, not 17"],
    ["traffic.arrivals.on_ms", { arrivals: "on-off", onMs: "0" }, "at least 1"],
    ["traffic.arrivals.steps", { arrivals: "trace", steps: "10:0, 5:0" }, "above 0"],
    ["traffic.arrivals", { arrivals: "on-off", onMs: "1", offMs: "9999", rate: "0.1" }, "the peak needs 1000 Mpps"],
    ["traffic.flow_distribution.exponent", { distribution: "zipf", exponent: "5" }, "at most 4"],
    ["traffic.payload.percent", { payload: "matches", strings: "evil", percent: "101" }, "at most 100"],
    ["traffic.payload.strings", { payload: "matches" }, "at least one string"],
    ["traffic.payload.strings", { payload: "matches", strings: "abc" }, "4 to 64 bytes"],
    ["traffic.payload.strings", { payload: "matches", packetBytes: "64", strings: "a".repeat(23) }, "room for 22"],
    ["traffic.pcap.file", { packets: "capture" }, "choose a capture"],
    ["traffic.seed", { seed: "-1" }, "at least 0"],
  ] as const)("names the field %s", (field, change, message) => {
    const { traffic, errors } = of(change as Partial<TrafficDraft>);
    expect(traffic).toBeNull();
    expect(errors).toEqual([{ field, message: expect.stringContaining(message) }]);
  });
});
