/** What plans rest on: the model of an NF type on a host model, and what stands ready to follow it. Pure. */

import type { HostView, ModelVersion, Provenance } from "@/api/types";

/** Hosts that share models. */
export interface HostModel {
  readonly name: string;
  /** Hosts of the fleet; 0 where only models of it are left. */
  readonly hosts: readonly string[];
  /** Of what its hosts measure. */
  readonly provenance: Provenance;
}

/** Host models of the fleet, those with most hosts first; then those that only models speak of. */
export function hostModelsOf(
  hosts: Iterable<Pick<HostView, "host_id" | "inventory" | "provenance">>,
  models: readonly Pick<ModelVersion, "host_model" | "basis">[],
): readonly HostModel[] {
  const found = new Map<string, { name: string; hosts: string[]; provenance: Provenance }>();
  for (const { host_id, inventory, provenance } of hosts) {
    if (!inventory) continue;
    const name = inventory.host_model;
    const known = found.get(name);
    if (known) known.hosts.push(host_id);
    else found.set(name, { name, hosts: [host_id], provenance });
  }
  for (const { host_model, basis } of models) {
    if (!found.has(host_model)) found.set(host_model, { name: host_model, hosts: [], provenance: basis });
  }
  for (const each of found.values()) each.hosts.sort();
  return [...found.values()].sort((a, b) => b.hosts.length - a.hosts.length || a.name.localeCompare(b.name));
}

/** An NF type on a host model. Without a promoted model plans use assumed figures. */
export interface Standing {
  readonly promoted: ModelVersion | null;
  /** The newest, where it is newer than the promoted one. */
  readonly candidate: ModelVersion | null;
}

export function standingOf(models: readonly ModelVersion[], nfType: string, hostModel: string): Standing {
  const own = models.filter((model) => model.nf_type === nfType && model.host_model === hostModel);
  const promoted = own.find(({ state }) => state === "promoted") ?? null;
  const candidate = own
    .filter(({ state }) => state === "candidate")
    .reduce<ModelVersion | null>((newest, model) => (newest && newest.id > model.id ? newest : model), null);
  return { promoted, candidate: candidate && candidate.id > (promoted?.id ?? 0) ? candidate : null };
}
