/** A chain over several hosts as the form has it, and as it is sent. */

import { describe, expect, it } from "vitest";
import { chainFile, check, type Draft, EMPTY_DRAFT, movedNf, withNf, withoutNf } from "@/chains/draft";
import { atDraftFields, runsOf } from "@/chains/draft-path";
import { nfType } from "./nf-type-fixtures";

const TYPES = ["router", "firewall", "nids", "nat"].map((name) => nfType(name, {}));

/** web: router, firewall | nids, nat; `hosts`: what NFs name, "-": nothing. */
function draftOf(hosts: readonly string[], host = "lab-1"): Draft {
  const all = TYPES.slice(0, hosts.length).reduce((draft, type, at) => withNf(draft, type, at - 1), EMPTY_DRAFT);
  const nfs = all.nfs.map((nf, at) => (hosts[at] === "-" ? nf : { ...nf, host: hosts[at] ?? "" }));
  return { ...all, name: "web", host, nfs };
}
const TWO = draftOf(["-", "-", "lab-2", "-"]);
const hostsOf = ({ nfs }: Draft) => nfs.map((nf) => `${nf.name} ${nf.host ?? "-"}`);
const errorsOf = (draft: Draft) => check(draft).errors.map(({ field, message }) => `${field}: ${message}`);

describe("runs of NFs", () => {
  it("begin where an NF names a host, and the first on the ingress's", () => {
    expect(runsOf(TWO)).toEqual([
      { host: "lab-1", first: 0, count: 2 },
      { host: "lab-2", first: 2, count: 2 },
    ]);
    expect(runsOf(draftOf(["-", "-"]))).toEqual([{ host: "lab-1", first: 0, count: 2 }]);
    expect(runsOf(draftOf(["-", "lab-1", "lab-1"]))).toEqual([{ host: "lab-1", first: 0, count: 3 }]);
    expect(runsOf(EMPTY_DRAFT)).toEqual([]);
  });

  it("keep their hosts when NFs move, and a host goes on to the next NF when one is removed", () => {
    expect(hostsOf(movedNf(TWO, 2, -1))).toEqual(["router -", "nids -", "firewall lab-2", "nat -"]);
    expect(hostsOf(withoutNf(TWO, 2))).toEqual(["router -", "firewall -", "nat lab-2"]);
    expect(hostsOf(withoutNf(TWO, 1))).toEqual(["router -", "nids lab-2", "nat -"]);
    const only = withoutNf(withoutNf(TWO, 0), 0);
    expect([only.host, hostsOf(only)]).toEqual(["lab-2", ["nids -", "nat -"]]);
    expect(runsOf(withoutNf(draftOf(["-", "lab-2"]), 1))).toEqual([{ host: "lab-1", first: 0, count: 1 }]);
  });
});

describe("what is sent", () => {
  it("is a chain for each host, the latency objective with that where packets leave", () => {
    const { spec, parts, errors } = check({ ...TWO, maxP95: "5", minThroughput: "0.5" });
    expect(errors).toEqual([]);
    expect(spec?.nfs.map(({ name }) => name)).toEqual(["router", "firewall", "nids", "nat"]);
    expect(
      parts.map((part) => [part.name, part.ingress?.host, part.nfs.map(({ name }) => name), part.part, part.slo]),
    ).toEqual([
      [
        "web",
        "lab-1",
        ["router", "firewall"],
        { of: "web", number: 1, count: 2 },
        { min_throughput_mpps: 0.5, max_p95_ms: null },
      ],
      [
        "web-part-2",
        "lab-2",
        ["nids", "nat"],
        { of: "web", number: 2, count: 2 },
        { min_throughput_mpps: 0.5, max_p95_ms: 5 },
      ],
    ]);
    expect(check(draftOf(["-", "-"])).parts).toEqual([]);
  });

  it("is a file with a path for the command line", () => {
    const { spec } = check(TWO);
    if (!spec) throw new Error("the draft is wrong");
    const file = JSON.parse(chainFile(spec, runsOf(TWO)));
    expect(file.path.map(({ host, nfs }: { host: string; nfs: { name: string }[] }) => [host, nfs.length])).toEqual([
      ["lab-1", 2],
      ["lab-2", 2],
    ]);
    expect([file.nfs, file.part, file.ingress.host]).toEqual([undefined, undefined, null]);
  });
});

describe("what is wrong", () => {
  it("is said before it is sent", () => {
    expect(errorsOf({ ...TWO, host: "" })).toEqual([
      "ingress.host: choose a host: later NFs of this chain stand on another",
    ]);
    expect(errorsOf(draftOf(["-", "lab-2", "lab-1"]))).toEqual([
      "nfs.2.host: lab-1 stands twice on the path: packets pass each host once",
    ]);
    const many = {
      ...TWO,
      nfs: [...TWO.nfs, ...TWO.nfs].map((nf, at) => ({ ...nf, name: `nf-${at}`, host: at === 4 ? "lab-2" : "" })),
    };
    expect(errorsOf(many)).toEqual(["nfs: over several hosts a chain has 7 NFs at most, not 8"]);
  });

  it("is put from the parts' fields to those of the form, the same of both once", () => {
    const at = (field: string, message = "no") => atDraftFields([{ field, message }], runsOf(TWO))[0]?.field;
    expect(at("chains.0.ingress.host")).toBe("ingress.host");
    expect(at("chains.1.ingress.host")).toBe("nfs.2.host");
    expect(at("chains.1.nfs.1.config.key")).toBe("nfs.3.config.key");
    expect(at("chains.0.traffic.packet_bytes")).toBe("traffic.packet_bytes");
    expect(at("chains.0.part")).toBe("nfs");
    expect(at("nfs.1.type")).toBe("nfs.1.type");
    const both = ["chains.0.anti_affinity.group", "chains.1.anti_affinity.group"];
    const twice = both.map((field) => ({ field, message: "no" }));
    expect(atDraftFields(twice, runsOf(TWO))).toEqual([{ field: "anti_affinity.group", message: "no" }]);
  });
});
