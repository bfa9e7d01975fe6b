/** The adjust panel: only what differs is sent, and what cannot be is said while it is typed. */
import { describe, expect, test } from "vitest";
import {
  adjustmentOf,
  changeableOf,
  configPath,
  cpuPath,
  EXECUTION,
  LEAST_SHARE,
  MOST_SHARE,
  RATE,
  SHARE_LAW,
  shownText,
} from "@/chains/adjust";
import { describeUnit } from "@/fleet/describe";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { EMPTY, reduce } from "@/live/state";
import { settingText } from "@/plans/adjustments-table";
import { adjustOptions } from "@/session/cli-chains";
import { batch, chain, host, nf } from "./fixtures";

const SPEC = chain("web").spec;
const LIMITED = { ...SPEC, nfs: SPEC.nfs.map((each) => ({ ...each, cpu_share: 300, cpu_quota_percent: 40 })) };
const SHARE = cpuPath("router", "cpu_share");
const QUOTA = cpuPath("router", "cpu_quota_percent");

describe("what would be sent", () => {
  test("nothing, where nothing differs", () => {
    expect(adjustmentOf(SPEC, {})).toEqual({ change: null, errors: [] });
    expect(adjustmentOf(SPEC, { [RATE]: "1", [EXECUTION]: "isolated", [SHARE]: " " }).change).toBeNull();
  });

  test("a rate with the rest of the traffic, which goes as a whole", () => {
    const { change } = adjustmentOf(SPEC, { [RATE]: "0.5" });
    expect(change).toEqual({ traffic: { ...SPEC.traffic, rate_mpps: 0.5 }, nfs: {} });
    expect(change && adjustOptions(change)).toBe(" --rate-mpps 0.5");
  });

  test("CPU settings by NF; an emptied one is taken away", () => {
    expect(adjustmentOf(SPEC, { [SHARE]: "200" }).change?.nfs).toEqual({ router: { cpu_share: 200 } });
    const { change } = adjustmentOf(LIMITED, { [SHARE]: "", [QUOTA]: "12.5" });
    expect(change?.nfs).toEqual({ router: { cpu_share: null, cpu_quota_percent: 12.5 } });
    expect(change && adjustOptions(change)).toBe(" --cpu router=none:12.5");
  });

  test("share bounds both or neither; emptied ones are taken away", () => {
    const { change } = adjustmentOf(SPEC, { [LEAST_SHARE]: "5", [MOST_SHARE]: "80" });
    expect(change).toEqual({ nfs: {}, share_bounds: { least_percent: 5, most_percent: 80 } });
    expect(change && adjustOptions(change)).toBe(" --share-bounds 5:80");
    const bounded = { ...SPEC, share_bounds: { least_percent: 5, most_percent: 80 } };
    expect(adjustmentOf(bounded, { [LEAST_SHARE]: "5" }).change).toBeNull();
    expect(adjustmentOf(bounded, { [LEAST_SHARE]: "10" }).change?.share_bounds?.most_percent).toBe(80);
    const { change: byCost } = adjustmentOf(bounded, { [SHARE_LAW]: "rate-cost" });
    expect(byCost).toEqual({ nfs: {}, share_bounds: { least_percent: 5, most_percent: 80, law: "rate-cost" } });
    expect(byCost && adjustOptions(byCost)).toBe(" --share-bounds 5:80:rate-cost");
    expect(adjustmentOf(SPEC, { [SHARE_LAW]: "rate-cost" }).change, "a law without bounds is nothing").toBeNull();
    const away = adjustmentOf(bounded, { [LEAST_SHARE]: "", [MOST_SHARE]: " " }).change;
    expect(away).toEqual({ nfs: {}, share_bounds: null });
    expect(away && adjustOptions(away)).toBe(" --share-bounds none");
  });

  test("share bounds that cannot be are said under their field", () => {
    const wrong = (least: string, most: string, execution = "isolated") =>
      adjustmentOf(SPEC, { [LEAST_SHARE]: least, [MOST_SHARE]: most, [EXECUTION]: execution }).errors;
    expect(wrong("5", "")).toEqual([{ field: MOST_SHARE, message: "a number is needed" }]);
    expect(wrong("0", "101").map(({ message }) => message)).toEqual(["at least 1", "at most 100"]);
    expect(wrong("60", "40")).toEqual([{ field: LEAST_SHARE, message: "more than the most, 40" }]);
    expect(wrong("5", "80", "run-to-completion").map(({ field }) => field)).toEqual([LEAST_SHARE, MOST_SHARE]);
  });

  test("a pause as a command", () => {
    expect(adjustOptions({ paused: true, nfs: {} })).toBe(" --pause");
    expect(adjustOptions({ paused: false, nfs: {} })).toBe(" --resume");
  });
});

describe("backends", () => {
  const config_schema = {
    properties: {
      backends: { changeable: true, default: [{ address: "10.0.0.1" }] },
      table_size: { default: 251 },
    },
  };
  const base = {
    name: "load-balancer",
    version: 1,
    short_name: "",
    summary: "",
    library: "",
    artefacts: [],
    implementation: null,
  };
  const changeable = changeableOf([{ ...base, config_schema }]);
  const balancer = { type: "load-balancer", name: "lb", config: {}, cpu_share: null, cpu_quota_percent: null };
  const spec = { ...SPEC, nfs: [balancer, ...SPEC.nfs] };
  const path = configPath("lb", "backends");

  test("are those that the chain names, or its type's", () => {
    expect(changeable.get("load-balancer")).toEqual({ backends: [{ address: "10.0.0.1" }] });
    expect(shownText(spec, {}, path, changeable)).toBe('[\n{"address":"10.0.0.1"}\n]');
    const named = { ...spec, nfs: [{ ...balancer, config: { backends: [] } }] };
    expect(shownText(named, {}, path, changeable)).toBe("[\n\n]");
  });

  test("are sent where they differ, however they are written", () => {
    expect(adjustmentOf(spec, { [path]: '[ {"address": "10.0.0.1"} ]' }, changeable).change).toBeNull();
    const { change } = adjustmentOf(spec, { [path]: '[{"address": "10.0.0.2"}]' }, changeable);
    expect(change).toEqual({ nfs: { lb: { config: { backends: [{ address: "10.0.0.2" }] } } } });
    expect(change && adjustOptions(change)).toBe(` --config 'lb.backends=[{"address":"10.0.0.2"}]'`);
  });

  test("are the default again where nothing is left", () => {
    const { change } = adjustmentOf(spec, { [path]: " ", [cpuPath("lb", "cpu_share")]: "200" }, changeable);
    expect(change?.nfs).toEqual({ lb: { cpu_share: 200, config: { backends: null } } });
    expect(change && adjustOptions(change)).toBe(" --cpu lb=200 --config lb.backends=none");
  });

  test("are refused where they are no JSON", () => {
    const { change, errors } = adjustmentOf(spec, { [path]: "[" }, changeable);
    expect([change, errors.map(({ field }) => field)]).toEqual([null, [path]]);
  });
});

test("fields show what the chain has until something is typed", () => {
  expect([shownText(SPEC, {}, RATE), shownText(SPEC, {}, SHARE), shownText(LIMITED, {}, QUOTA)]).toEqual([
    "1",
    "",
    "40",
  ]);
  expect(shownText(SPEC, { [RATE]: "" }, RATE)).toBe("");
});

test.each([
  [{ [RATE]: "fast" }, RATE, "a number is needed"],
  [{ [RATE]: "-1" }, RATE, "at least 0"],
  [{ [SHARE]: "0" }, SHARE, "at least 1"],
  [{ [SHARE]: "1.5" }, SHARE, "a whole number is needed"],
  [{ [QUOTA]: "101" }, QUOTA, "at most 100"],
])("%o is refused beside its field", (edits, field, message) => {
  const { change, errors } = adjustmentOf(SPEC, edits);
  expect(change).toBeNull();
  expect(errors).toEqual([{ field, message }]);
});

test("NFs that share a process have no CPU settings of their own", () => {
  const { change, errors } = adjustmentOf(LIMITED, { [EXECUTION]: "run-to-completion" });
  expect(change).toBeNull();
  expect(errors.map(({ field }) => field)).toEqual([SHARE, QUOTA]);
  const mended = adjustmentOf(LIMITED, { [EXECUTION]: "run-to-completion", [SHARE]: "", [QUOTA]: "" });
  expect(mended.change?.execution).toBe("run-to-completion");
});

test("a paused chain violates nothing, and its NFs say that they are paused", () => {
  const paused = chain("web", { spec: { ...SPEC, paused: true }, throughput_slo: "no_data" });
  const ready = { ...EMPTY, ready: true, hosts: new Map([["h", host("h")]]), chains: new Map([["web", paused]]) };
  const sample = { chain: "web", offered_mpps: 0, delivered_mpps: 0, drop_mpps: 0, filtered_mpps: 0, paused: true };
  const next = reduce(ready, [{ event: "telemetry", batch: batch("h", 1, { chains: [sample] }) }]);
  expect(next.chains.get("web")?.throughput_slo).toBe("no_data");

  const seated = new Map([["web.router", nf("web.router", "h", 0, { paused: true })]]);
  const model = modelOf(host("h"), seated, layerOf("cpu", undefined), new Set(), "labelled");
  const unit = model.units.find((each) => each.nf);
  expect(unit && describeUnit(unit, model, 0).join()).toContain("paused");
});

test("a sample of an interval in which it was paused judges nothing, the next one does", () => {
  const running = chain("web", { spec: { ...SPEC, slo: { min_throughput_mpps: 1, max_p95_ms: null } } });
  const ready = { ...EMPTY, ready: true, hosts: new Map([["h", host("h")]]), chains: new Map([["web", running]]) };
  const sample = { chain: "web", offered_mpps: 0.3, delivered_mpps: 0.3, drop_mpps: 0, filtered_mpps: 0 };
  const telemetry = (sequence: number, paused: boolean) =>
    ({ event: "telemetry", batch: batch("h", sequence, { chains: [{ ...sample, paused }] }) }) as const;
  const resumed = reduce(ready, [telemetry(1, true)]);
  expect(resumed.chains.get("web")?.throughput_slo).toBe("no_data");
  expect(reduce(resumed, [telemetry(2, false)]).chains.get("web")?.throughput_slo).toBe("violated");
});

test("a plan lists settings as JSON, a page in words", () => {
  expect(["null", "true", "0.5", '"isolated"'].map(settingText)).toEqual(["none", "yes", "0.5", "isolated"]);
});
