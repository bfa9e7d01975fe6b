/** Bars of shared cores, and hosts that have some. */

import { expect, it } from "vitest";
import type { NfView } from "@/api/types";
import { barOf, sharingRows } from "@/laws/sfc2cpu/sharing";
import {
  costErrorText,
  divisionText,
  fittedText,
  inflationText,
  partText,
  segmentText,
  shareText,
} from "@/laws/sfc2cpu/words";
import { nf, nfSample } from "./fixtures";
import { hostCost, sharingCore, sharingNf } from "./shared-cores-fixtures";

it("divides an NF's load into what its packets take alone and what they take more", () => {
  // Half of the core at a quarter more than alone: 40 and 10 points. .9 busy less .8 of NFs leaves 10 to others.
  const { segments, others } = barOf(sharingCore());
  expect(segments.map(({ base, cap }) => [base, cap])).toEqual([
    [40, 10],
    [30, 0],
  ]);
  expect(others).toBeCloseTo(10);
});

it("has nothing to draw where nothing was measured", () => {
  const { segments, others } = barOf(sharingCore({ busy: null, nfs: [sharingNf("web.a", { load: null })] }));
  expect([segments[0]?.base, segments[0]?.cap, others]).toEqual([0, 0, 0]);
});

it("lists hosts with more than one NF on a core, and the fullest of these", () => {
  const of = (id: string, core: number, load: number | null) =>
    nf(id, "edge-1", core, { sample: load === null ? null : nfSample(id, { utilisation_percent: load }) });
  const mapped = (...nfs: NfView[]) => new Map(nfs.map((one) => [one.nf_id, one]));
  const shared = mapped(of("a.x", 1, 40), of("b.x", 1, 30), of("c.x", 2, 90), of("d.x", 3, null), of("e.x", 3, null));
  const hosts = new Map([
    ["edge-2", mapped(of("f.x", 1, 50))],
    ["edge-1", shared],
  ]);
  // 40 and 30 on core 1; of core 3 nothing is known, and core 2 is nobody else's.
  expect(sharingRows(hosts)).toEqual([{ host: "edge-1", cores: 2, nfs: 4, fullest: 70 }]);
});

it("says figures, and a dash where there is none", () => {
  const bare = sharingNf("web.a", { load: null, inflation: null, share_percent: null });
  expect([partText(0.645), partText(null)]).toEqual(["65 %", "–"]);
  expect([inflationText(sharingNf("web.a")), inflationText(bare)]).toEqual(["+25 %", "–"]);
  expect([shareText(sharingNf("web.a")), shareText(bare)]).toEqual(["60 %", "as ordered"]);
  expect(segmentText(sharingNf("web.a"))).toBe("web.a: 50 % of the core; a packet costs +25 % beside others");
  expect(segmentText(bare)).toBe("web.a: not measured");
});

it("says who divides a core", () => {
  expect(divisionText(sharingCore())).toBe("divided by rate × cost");
  expect(divisionText(sharingCore({ law: "queue-matching" }))).toBe("divided by queue matching");
  expect(divisionText(sharingCore({ law: null }))).toBe("not divided: two laws are named");
  expect(divisionText(sharingCore({ divided: false, law: null }))).toBe("shares as ordered");
});

it("says within what nine of ten packets should cost, where it is known how far off the fit is", () => {
  const text = (change: Parameters<typeof sharingNf>[1]) => fittedText(sharingNf("web.a", change));
  expect(text({})).toBe("0.48 (0.46 to 0.51)");
  expect(text({ expected_high_us: null })).toBe("0.48 (from 0.46)");
  expect(text({ expected_low_us: null, expected_high_us: null })).toBe("0.48");
  expect(text({ expected_us: null, expected_low_us: null })).toBe("–");
});

it("says how far off a fit is of types that it did not know, where it was kept", () => {
  expect(costErrorText(hostCost())).toContain("a fit did not use, 21.0 % of types that it did not know.");
  expect(costErrorText(hostCost({ held_out_error: null }))).toMatch(/a fit did not use\.$/);
});
