/** Which plans or operations are listed: those in a state, and those that touch a host or a chain. */

import { type ReactNode, useMemo } from "react";
import { useLive } from "@/live/store";
import type { StateLook } from "@/states/table";
import { Choose } from "@/ui/choose";
import { type Choice, Picker } from "@/ui/select";

export interface WorkFilter<State extends string> {
  readonly state?: State | undefined;
  readonly host?: string | undefined;
  readonly chain?: string | undefined;
}

/** No state, host or chain has this name: names are of lower-case letters, and states have no space. */
const EVERY = "EVERY ONE";

export function WorkFilters<State extends string>(props: {
  /** What is listed: "plans". */
  label: string;
  looks: Readonly<Record<State, StateLook>>;
  filter: WorkFilter<State>;
  onFilter: (change: WorkFilter<State>) => void;
}): ReactNode {
  const { label, looks, filter, onFilter } = props;
  const hosts = useLive((state) => state.hosts);
  const chains = useLive((state) => state.chains);
  const hostNames = useMemo(() => namesOf(hosts.keys(), filter.host, "every host"), [hosts, filter.host]);
  const chainNames = useMemo(() => namesOf(chains.keys(), filter.chain, "every chain"), [chains, filter.chain]);
  const states = Object.keys(looks) as State[];
  return (
    <search className="list-filter" aria-label={`Which ${label}`}>
      <Picker
        label="State"
        value={filter.state ?? EVERY}
        choices={[{ key: EVERY, text: "every state" }, ...states.map((key) => ({ key, text: looks[key].words }))]}
        onChange={(key) => onFilter({ state: states.find((state) => state === key) })}
      />
      <Choose
        label="Host"
        value={filter.host ?? EVERY}
        choices={hostNames}
        onChange={(key) => onFilter({ host: key === EVERY ? undefined : key })}
      />
      <Choose
        label="Chain"
        value={filter.chain ?? EVERY}
        choices={chainNames}
        onChange={(key) => onFilter({ chain: key === EVERY ? undefined : key })}
      />
    </search>
  );
}

/** One that is gone stays to be seen, and to be left. */
function namesOf(known: Iterable<string>, chosen: string | undefined, every: string): Choice[] {
  const names = new Set(known);
  if (chosen) names.add(chosen);
  return [{ key: EVERY, text: every }, ...[...names].sort().map((key) => ({ key, text: key }))];
}
