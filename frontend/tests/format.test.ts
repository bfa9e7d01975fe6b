import { describe, expect, it } from "vitest";
import {
  ageOrTime,
  count,
  duration,
  figure,
  instant,
  latency,
  percent,
  shortDigest,
  signed,
  thousands,
  when,
} from "@/lib/format";

describe("figures", () => {
  it.each([
    [0, "0"],
    [0.0004, "<0.001"],
    [0.042, "0.042"],
    [0.05, "0.05"],
    [0.61, "0.61"],
    [6.1, "6.1"],
    [12.44, "12.4"],
    [341.8, "341.8"],
    [48080, "48\u2009080"],
    [-1.3, "−1.3"],
    [null, "–"],
    [Number.NaN, "–"],
  ])("%s is written %s", (value, text) => {
    expect(figure(value)).toBe(text);
  });

  it("writes differences with their sign, a true minus", () => {
    expect(signed(1.9)).toBe("+1.9");
    expect(signed(-0.4)).toBe("−0.40");
    expect(signed(0)).toBe("0");
  });

  it("writes percentages, latencies and counts", () => {
    expect([97.2, 4.25, 0.05, 0.03, 0, null].map(percent)).toEqual(["97", "4.3", "0.1", "<0.1", "0", "–"]);
    expect([latency(7.2), latency(412.3), latency(1420), latency(null)]).toEqual(["7.2 µs", "412 µs", "1.42 ms", "–"]);
    expect([count(1, "host"), count(1000, "host")]).toEqual(["1 host", "1\u2009000 hosts"]);
    expect(thousands(999)).toBe("999");
  });
});

describe("times", () => {
  it("writes durations in the unit that is read fastest", () => {
    expect([0.4, 14, 119, 240, 7200, 200_000].map(duration)).toEqual(["0.4 s", "14 s", "119 s", "4 min", "2 h", "2 d"]);
  });

  it("writes an age under ten minutes, a time after it, and the day of another day", () => {
    const now = new Date(2026, 10, 21, 14, 0, 0);
    expect(ageOrTime(new Date(now.getTime() - 240_000).toISOString(), now.getTime())).toBe("4 min ago");
    expect(ageOrTime(new Date(now.getTime() - 3_600_000).toISOString(), now.getTime())).toBe("13:00:00");
    expect(instant(new Date(2026, 10, 12, 9, 14), now)).toBe("12 Nov 09:14");
    expect(when(new Date(2026, 10, 12, 9, 14).toISOString(), now)).toBe("12 Nov 09:14");
    expect(when(new Date(2027, 10, 12, 9, 14).toISOString(), now)).toBe("12 Nov 2027 09:14");
  });

  it("shortens a digest", () => {
    expect(shortDigest(`sha256:5e1b77c4${"0".repeat(56)}`)).toBe("5e1b77c4");
    expect(shortDigest(null)).toBe("–");
  });
});
