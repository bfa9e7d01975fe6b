/** Which NF limits a chain: the cases that outcomes are judged by as well. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { slowestOf } from "@/fleet/limit";
import { nf, nfSample } from "./fixtures";

interface Case {
  readonly name: string;
  readonly nfs: readonly {
    readonly nf_id: string;
    readonly rx_mpps: number;
    readonly drop_mpps: number;
    readonly ring_used_percent: number | null;
  }[];
  readonly limit: { readonly nf_id: string; readonly by: string } | null;
}

const CASES: readonly Case[] = JSON.parse(readFileSync("../domain/tests/limits.json", "utf8"));

describe("the NF that limits a chain", () => {
  it.each(CASES)("is $name", ({ nfs, limit }) => {
    const found = slowestOf(
      nfs.map(({ nf_id, ...figures }, position) => nf(nf_id, "a", 0, { position, sample: nfSample(nf_id, figures) })),
    );
    expect(found && { nf_id: found.nf.nf_id, by: found.by }).toEqual(limit);
  });
});
