import { describe, expect, it } from "vitest";
import type { ChainView, Interference } from "@/api/types";
import { blameOf, isOverloaded, unlimitedText } from "@/chains/blame";
import { remediesOf } from "@/chains/explain";
import { violations } from "@/fleet/violations";
import { cause, chain, nf, nfSample, victim } from "./fixtures";

const sample = (delivered: number, change: Partial<NonNullable<ChainView["sample"]>> = {}) => ({
  chain: "dmz",
  offered_mpps: 6.6,
  delivered_mpps: delivered,
  drop_mpps: 6.6 - delivered,
  filtered_mpps: 0,
  paused: false,
  p50_us: null,
  p95_us: null,
  p99_us: null,
  ...change,
});

/** The firewall passes all of 6.6 Mpps, the nids behind it loses 2.1 of them; both poll, so both cores are busy. */
const NFS = [
  nf("dmz.firewall", "sim-2", 0, { position: 0, sample: nfSample("dmz.firewall", { rx_mpps: 6.6, cpu_percent: 100 }) }),
  nf("dmz.nids", "sim-2", 1, {
    position: 1,
    sample: nfSample("dmz.nids", { rx_mpps: 4.5, drop_mpps: 2.1, cpu_percent: 100 }),
  }),
];
const LATE = chain("dmz", { throughput_slo: "violated", sample: sample(4.5) });

/** The model has it the other way round. */
const MODEL: Interference = {
  host: "sim-2",
  provenance: "assumed",
  note: null,
  models: [],
  victims: [
    victim("dmz.firewall", 0, [cause("neighbour", "cdn.lb", 0.3, 0.08)], { is_bottleneck: true }),
    victim("dmz.nids", 1, [cause("remote", null, 0, 0.2)]),
  ],
};

describe("what limits a chain", () => {
  const blame = blameOf(LATE, NFS, MODEL, "dmz.firewall");

  it("is the NF that is measured to, on the chain's page as on the fleet's, and that the model expects another is said", () => {
    expect(violations([LATE], () => NFS)[0]?.limit?.nf.nf_id).toBe("dmz.nids");
    expect(blame).toMatchObject({ limit: { by: "drops" }, nfId: "dmz.nids", victim: { nf_id: "dmz.nids" } });
    expect(blame.disagreement).toBe("the model expects firewall to limit the chain, at 6.2 Mpps, and nids to give 8.0");
    expect(blameOf(LATE, NFS, undefined, "dmz.firewall").disagreement).toBe(
      "the plan expects firewall to limit the chain",
    );
  });

  it("has the measured NF profiled, not the one that the model blames", () => {
    const remedies = remediesOf({
      standing: { kind: "no-data" },
      sample: LATE.sample,
      blame,
      prediction: undefined,
      trust: undefined,
    });
    expect(remedies.map(({ kind }) => kind)).toEqual(["replace", "profile", "ask-less"]);
    expect(remedies[0]?.why).toBe("nids loses 2.0 Mpps because of its placement, according to the model");
    expect(remedies[1]?.why).toContain("the model expects firewall");
  });

  it("agrees where both say the same", () => {
    const [firewall, nids] = MODEL.victims as [(typeof MODEL.victims)[0], (typeof MODEL.victims)[0]];
    const same = {
      ...MODEL,
      victims: [
        { ...firewall, is_bottleneck: false },
        { ...nids, is_bottleneck: true },
      ],
    };
    expect(blameOf(LATE, NFS, same, "dmz.nids").disagreement).toBeNull();
  });

  it("is what the model expects only where nothing measured speaks against an NF, and says that nothing does", () => {
    const carried = chain("dmz", { sample: sample(6.6) });
    const idle = NFS.map((each) => ({ ...each, sample: nfSample(each.nf_id, { rx_mpps: 6.6 }) }));
    expect(blameOf(carried, idle, MODEL)).toMatchObject({ limit: null, nfId: "dmz.firewall", disagreement: null });
    expect(unlimitedText(carried, idle)).toBe("no NF limits it: it carries all of the 6.6 Mpps offered to it");
    const rooms = [7.25, 3.5];
    const roomy = idle.map((each, index) => ({
      ...each,
      sample: nfSample(each.nf_id, { headroom_mpps: rooms[index] ?? null }),
    }));
    expect(unlimitedText(carried, roomy)).toMatch(/offered to it; nids has the least headroom, 3\.5 Mpps$/);
    // One whose headroom is not known may have less.
    expect(unlimitedText(carried, [...roomy.slice(1), ...idle.slice(0, 1)])).toMatch(/offered to it$/);
    const lost = chain("dmz", { throughput_slo: "violated", sample: sample(5) });
    expect(unlimitedText(lost, idle)).toBe(
      "none of its NFs drops packets: 1.6 Mpps are lost before the first or after the last",
    );
  });

  it("does not blame who sends packets where an NF does not run", () => {
    const nothing = chain("dmz", { throughput_slo: "violated", sample: sample(0, { offered_mpps: 0, drop_mpps: 0 }) });
    const down = NFS.map((each) => ({ ...each, sample: nfSample(each.nf_id, { state: "crashed" }) }));
    expect(unlimitedText(nothing, down)).toMatch(
      / does not run, so no packets pass it; see its host's page for the reason$/,
    );
    const begun = NFS.map((each) => ({ ...each, sample: nfSample(each.nf_id, { state: "starting" }) }));
    expect(unlimitedText(nothing, begun)).toMatch(
      / is being started, so no packets pass it; see its host's page for the reason$/,
    );
    const well = NFS.map((each) => ({ ...each, sample: nfSample(each.nf_id, {}) }));
    expect(unlimitedText(nothing, well)).toContain("of the 0 Mpps offered to it");
  });

  it("does not call packets lost that a rule dropped", () => {
    expect(isOverloaded(sample(6, { filtered_mpps: 0.6, drop_mpps: 0 }))).toBe(false);
    expect(isOverloaded(sample(6))).toBe(true);
  });
});
