/** What an empty form may start from: a chain of this fleet, or one of the usual ones. */

import { type ReactNode, useMemo } from "react";
import type { NfType } from "@/api/types";
import { useLive } from "@/live/store";
import { Choose } from "@/ui/choose";
import { type Draft, EMPTY_DRAFT, withNf } from "./draft";
import { copyOf } from "./draft-of";

/** Usual orders of NFs, each with the defaults of its types. */
const USUAL = {
  "Edge of a site": ["router", "firewall", "nat", "basic-monitor"],
  "Intrusion detection": ["firewall", "nids"],
  "Application control": ["router", "firewall", "dpi"],
  "Balanced service": ["firewall", "load-balancer", "basic-monitor"],
} as const;

export function StartFrom(props: {
  types: readonly NfType[];
  onDraft: (draft: Draft, left: readonly string[]) => void;
}): ReactNode {
  const { types, onDraft } = props;
  const chains = useLive((state) => state.chains);
  const usual = useMemo(() => usualDrafts(types), [types]);
  const choices = [
    { key: "", text: "nothing" },
    ...[...usual.keys()].map((name) => ({ key: `usual:${name}`, text: name, note: USUAL[name].join(" → ") })),
    ...[...chains.values()]
      .map(({ spec }) => ({ key: `chain:${spec.name}`, text: spec.name, note: "a chain of this fleet" }))
      .sort((a, b) => (a.text < b.text ? -1 : 1)),
  ];
  return (
    <div className="start-from">
      <Choose
        label="Start from"
        value=""
        choices={choices}
        onChange={(key) => {
          const chain = chains.get(key.replace(/^chain:/, ""));
          const draft = [...usual].find(([name]) => `usual:${name}` === key)?.[1];
          if (draft) onDraft(draft, []);
          else if (chain) {
            const copied = copyOf(chain.spec, types);
            onDraft(copied.draft, copied.left);
          }
        }}
      />
    </div>
  );
}

/** Those whose NF types are all in the catalogue. */
export function usualDrafts(types: readonly NfType[]): ReadonlyMap<keyof typeof USUAL, Draft> {
  const known = new Map(types.map((type) => [type.name, type]));
  const made = new Map<keyof typeof USUAL, Draft>();
  for (const name of Object.keys(USUAL) as (keyof typeof USUAL)[]) {
    const found = USUAL[name].map((type) => known.get(type));
    if (found.some((type) => type === undefined)) continue;
    made.set(
      name,
      found.reduce<Draft>((draft, type) => (type ? withNf(draft, type, draft.nfs.length - 1) : draft), EMPTY_DRAFT),
    );
  }
  return made;
}
