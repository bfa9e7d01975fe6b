/** What all NFs of a chain have together of cache ways and memory bandwidth: shown, and changed by a plan. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan, type MemoryRequest, type PlanIntent } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { ChainView, HostView, NfView } from "@/api/types";
import {
  CHAIN_RESOURCES,
  limitsOfChain,
  RESOURCE_NAMES,
  type ResourceEdits,
  resourceHint,
  shownOf,
  togetherOf,
  WITHOUT,
  wantedFrom,
  whyNotGiven,
} from "@/capabilities/resources";
import { GivenByAgent, useGiven } from "@/laws/numasfp/allocation/given";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { ResourceStrips } from "./resource-strips";

export function ChainResources({ chain }: { chain: ChainView }): ReactNode {
  const id = chain.placement[0]?.seat.host;
  const host = useLive((state) => (id === undefined ? undefined : state.hosts.get(id)));
  const here = useLive((state) => (id === undefined ? undefined : state.nfs.get(id)));
  if (!host?.inventory) return null;
  return <OnHost chain={chain} host={host} nfs={[...(here?.values() ?? [])]} />;
}

function OnHost({ chain, host, nfs }: { chain: ChainView; host: HostView; nfs: readonly NfView[] }): ReactNode {
  const nodes = [...new Set(chain.placement.map(({ seat }) => seat.node))];
  const law = useGiven(host);
  return (
    <Section title="Ways and bandwidth" note={`of ${host.host_id}`} padded>
      <ResourceStrips host={host} placed={nfs} nodes={nodes} said={law !== null} />
      {law && <GivenByAgent law={law} chain={chain.spec.name} />}
      {nodes.length > 1 ? (
        <p className="t2">Its NFs stand on several nodes: ways and bandwidth of a chain are of one node.</p>
      ) : (
        <ChainResourcesForm chain={chain} host={host} nfs={nfs} />
      )}
    </Section>
  );
}

function intentOf(chain: string, request: MemoryRequest): PlanIntent {
  return { kind: "resources", chains: { [chain]: request } };
}

/** The button, and in its place the form once it was pressed. */
export function ChainResourcesForm(props: { chain: ChainView; host: HostView; nfs: readonly NfView[] }): ReactNode {
  const { chain, host, nfs } = props;
  const name = chain.spec.name;
  const [edits, setEdits] = useState<ResourceEdits | null>(null);
  const navigate = useNavigate();
  const act = useActReason("plans.apply");
  const plan = useMutation({
    mutationFn: (wanted: MemoryRequest) => askForPlan(intentOf(name, wanted), DEFAULT_SOLVING),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  if (edits === null) {
    return (
      <Button small onClick={() => setEdits({})} reason={act}>
        Resources
      </Button>
    );
  }
  const has = togetherOf(chain);
  const limits = limitsOfChain(host, chain, nfs);
  const { request, errors } = wantedFrom(has, CHAIN_RESOURCES, edits, limits);
  const idle = errors.size > 0 ? "Correct the fields above first." : "Nothing differs from what it has.";
  const own = nfs.find(
    ({ seat, chain: of }) => of === name && (seat.llc_ways ?? seat.memory_bandwidth_percent) != null,
  );
  const both = own ? `${own.nf_id} has ways or bandwidth of its own: give these back first.` : null;
  const reason = both ?? act ?? (plan.isPending ? "A plan is being made." : request ? null : idle);
  return (
    <section className="migrate resources" aria-label={`Resources of ${name}`}>
      <p className="t2">What all NFs of {name} have together; none moves or restarts. Empty gives a resource back.</p>
      <div className="resource-fields">
        {CHAIN_RESOURCES.map((resource) => {
          const why = whyNotGiven(host, resource);
          if (why !== null) {
            return (
              <p key={resource} className="t2 reason">
                {RESOURCE_NAMES[resource]}: not on this host: {why}
              </p>
            );
          }
          return (
            <Field
              key={resource}
              label={RESOURCE_NAMES[resource]}
              value={shownOf(has, edits, resource)}
              onChange={(text) => setEdits({ ...edits, [resource]: text })}
              error={errors.get(resource)}
              hint={resourceHint(resource, limits)}
              inputMode="numeric"
              placeholder={WITHOUT[resource]}
              {...(resource.endsWith("_percent") ? { unit: "%" } : {})}
            />
          );
        })}
      </div>
      <div className="row-actions">
        <Button small onClick={() => request && plan.mutate(request)} reason={reason} reasonSide="below-left">
          Plan the change
        </Button>
        <Button small look="quiet" onClick={() => setEdits(null)}>
          Close
        </Button>
        {request && (
          <CopyButton
            text={cli.askPlan(intentOf(name, request), DEFAULT_SOLVING)}
            curl={curls.askPlan(intentOf(name, request), DEFAULT_SOLVING)}
          />
        )}
      </div>
      {plan.error && <ProblemNote problem={asProblem(plan.error)} onDismiss={() => plan.reset()} />}
    </section>
  );
}
