import { expect, it } from "vitest";
import type { ChainView } from "@/api/types";
import { check, type Draft, EMPTY_DRAFT } from "@/chains/draft";
import { draftOf } from "@/chains/draft-of";
import { tiedWith, tiedWords } from "@/fleet/ties";
import { chain as aChain } from "./fixtures";

/** A chain of one firewall, tied, on core 0 of a host. */
function chain(name: string, host: string | null, tied: string | null = "edge"): ChainView {
  const base = aChain(name);
  const nf = { type: "firewall", name: "firewall", config: {}, cpu_share: null, cpu_quota_percent: null };
  const seat = { host: host ?? "", node: 0, core: 0, slot: 0 };
  return {
    ...base,
    spec: { ...base.spec, name, nfs: [{ ...nf, ...(tied && { tied }) }] },
    placement: host
      ? [
          {
            nf_id: `${name}.firewall`,
            chain: name,
            position: 0,
            nf_type: "firewall",
            seat,
          } as ChainView["placement"][0],
        ]
      : [],
  };
}

it("joins NFs of one tie on one host, and no others", () => {
  const chains = [
    chain("web", "edge-1"),
    chain("mail", "edge-1"),
    chain("far", "edge-2"),
    chain("waits", null),
    chain("free", "edge-1", null),
    chain("other", "edge-1", "core"),
  ];
  expect([...tiedWith(chains)]).toEqual([
    ["web.firewall", ["mail.firewall"]],
    ["mail.firewall", ["web.firewall"]],
  ]);
});

it("says with whom, or by which tie", () => {
  expect(tiedWords("edge", ["mail.firewall", "voice.firewall"])).toBe("tied with mail.firewall, voice.firewall");
  expect(tiedWords("edge", undefined)).toBe("tie edge");
  expect(tiedWords(undefined, undefined)).toBeNull();
});

const NF = { key: "1", type: "firewall", name: "firewall", config: "", cpuShare: "", cpuQuota: "" };
const DRAFT: Draft = { ...EMPTY_DRAFT, name: "web", nfs: [{ ...NF, tied: " edge " }] };

it("sends a tie, and leaves it out where there is none", () => {
  const { spec } = check(DRAFT);
  expect(spec?.nfs[0]?.tied).toBe("edge");
  expect(spec && draftOf(spec).nfs[0]?.tied).toBe("edge");
  expect(check({ ...DRAFT, nfs: [NF] }).spec?.nfs[0]).not.toHaveProperty("tied");
});

it("refuses a tie by its field", () => {
  const twice = [
    { ...NF, tied: "edge" },
    { ...NF, key: "2", name: "firewall-2", tied: "edge" },
  ];
  expect(check({ ...DRAFT, nfs: twice }).errors.map(({ field }) => field)).toEqual(["nfs.1.tied"]);
  expect(check({ ...DRAFT, nfs: [{ ...NF, tied: "Edge" }] }).errors.map(({ field }) => field)).toEqual(["nfs.0.tied"]);
});
