/** Layer Link queue of the maps: what waits behind an NF for the way to the next host, as packets measured it. */

import { describe, expect, it } from "vitest";
import type { ChainView, NfView, PathHop } from "@/api/types";
import { cellText, layerOf } from "@/fleet/layers";
import { linkQueues } from "@/fleet/link-queues";
import { modelOf } from "@/fleet/model";
import { whyMissing } from "@/fleet/why-missing";
import { chain, host, nf } from "./fixtures";

const LAYER = layerOf("queue");
const NFS = [nf("web.router", "h", 0), nf("web.nids", "h", 1), nf("dns.nat", "h", 2)];
const WEB = passed("web", [
  { device: "h", nf_id: "web.router" },
  { device: "h", nf_id: "web.nids", queue_packets: 50 },
  { device: "switch-1", queue_packets: 900 },
]);

function passed(name: string, path: PathHop[]): ChainView {
  const sample = {
    chain: name,
    offered_mpps: 0,
    delivered_mpps: 0,
    drop_mpps: 0,
    filtered_mpps: 0,
    p50_us: null,
    p95_us: null,
    p99_us: null,
    p999_us: null,
    path,
  };
  return chain(name, { sample });
}

function modelled(chains: ChainView[]) {
  const nfs = new Map(NFS.map((one) => [one.nf_id, one]));
  return modelOf(host("h", 1, 3), nfs, LAYER, new Set(), "labelled", null, linkQueues(chains));
}

describe("link queues", () => {
  it("belong to the NF whose packets wait: 50 of 100 is the middle of nine steps", () => {
    const { units } = modelled([WEB, chain("dns")]);
    expect(units.map(({ value }) => value)).toEqual([null, 50, null]);
    expect(units.map(({ step }) => step)).toEqual([-1, 4, -1]);
    expect(whyMissing(LAYER, [modelled([WEB])])).toBeNull();
  });

  it("that are empty are a figure, and no queue is none", () => {
    const { units } = modelled([passed("dns", [{ device: "h", nf_id: "dns.nat", queue_packets: 0 }])]);
    expect(units.map(({ value }) => value)).toEqual([null, null, 0]);
    expect(cellText(LAYER, NFS[2] as NfView, 0)).toBe("0");
    expect(cellText(LAYER, NFS[0] as NfView, null)).toBe("–");
  });

  it("say why all is empty", () => {
    expect(whyMissing(LAYER, [modelled([chain("web")])])).toBe(
      "no NF here sends measured packets on to another host by a queue that it can read",
    );
  });
});
