/** Gives one NF other resources where it stands: makes a plan, reviewed like any other. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { askForPlan, type PlanIntent, type ResourceRequest } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import { asProblem } from "@/api/problem";
import type { HostView, NfView } from "@/api/types";
import {
  limitsOf,
  RESOURCE_NAMES,
  RESOURCES,
  type Resource,
  type ResourceEdits,
  resourceHint,
  shownResource,
  WITHOUT,
  wantedOf,
  whyNotGiven,
} from "@/capabilities/resources";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

/** The button, and in its place the form once it was pressed. */
export function Resources({ nf, host, nfs }: { nf: NfView; host: HostView; nfs: readonly NfView[] }): ReactNode {
  const [open, setOpen] = useState(false);
  const reason = useActReason("plans.apply");
  if (open) return <ResourcesForm nf={nf} host={host} nfs={nfs} onClose={() => setOpen(false)} />;
  return (
    <Button small onClick={() => setOpen(true)} reason={reason} reasonSide="below-left">
      Resources
    </Button>
  );
}

function intentOf(nf: NfView, request: ResourceRequest): PlanIntent {
  return { kind: "resources", resources: { [nf.nf_id]: request } };
}

export function ResourcesForm(props: {
  nf: NfView;
  host: HostView;
  nfs: readonly NfView[];
  onClose: () => void;
}): ReactNode {
  const { nf, host, nfs, onClose } = props;
  const [edits, setEdits] = useState<ResourceEdits>({});
  const navigate = useNavigate();
  const act = useActReason("plans.apply");
  const limits = limitsOf(host, nf, nfs);
  const { request, errors } = wantedOf(nf, edits, limits);
  const plan = useMutation({
    mutationFn: (wanted: ResourceRequest) => askForPlan(intentOf(nf, wanted), DEFAULT_SOLVING),
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
  const idle = errors.size > 0 ? "Correct the fields above first." : "Nothing differs from what it has.";
  const reason = useShared(nf) ?? act ?? (plan.isPending ? "A plan is being made." : request ? null : idle);
  return (
    <section className="migrate resources" aria-label={`Resources of ${nf.nf_id}`}>
      <p className="t2">
        What {nf.nf_id} has on core {nf.seat.core}; it neither moves nor restarts. Empty gives a resource back.
      </p>
      <div className="resource-fields">
        {RESOURCES.map((resource) => {
          const missing = whyNotGiven(host, resource);
          const why = missing === null ? whyOfChain(nf, resource) : `Not on this host: ${missing}`;
          if (why !== null) return <NotOffered key={resource} resource={resource} why={why} />;
          return (
            <Field
              key={resource}
              label={RESOURCE_NAMES[resource]}
              value={shownResource(nf, edits, resource)}
              onChange={(text) => setEdits({ ...edits, [resource]: text })}
              error={errors.get(resource)}
              hint={resourceHint(resource, limits)}
              inputMode={resource === "cpu_quota_percent" ? "decimal" : "numeric"}
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
        <Button small look="quiet" onClick={onClose}>
          Close
        </Button>
        {request && (
          <CopyButton
            text={cli.askPlan(intentOf(nf, request), DEFAULT_SOLVING)}
            curl={curls.askPlan(intentOf(nf, request), DEFAULT_SOLVING)}
          />
        )}
      </div>
      {plan.error && <ProblemNote problem={asProblem(plan.error)} onDismiss={() => plan.reset()} />}
    </section>
  );
}

/** NFs of one process have its resources together. */
function useShared(nf: NfView): string | null {
  const execution = useLive((state) => state.chains.get(nf.chain)?.spec.execution);
  return execution === "run-to-completion" ? "NFs that share a process have no resources of their own." : null;
}

/** A thread is in one group: where its chain has some for all its NFs, it has none of its own. */
function whyOfChain({ chain, seat }: NfView, resource: Resource): string | null {
  const together = seat.chain_llc_ways != null || seat.chain_memory_bandwidth_percent != null;
  const ofMemory = resource === "llc_ways" || resource === "memory_bandwidth_percent";
  return together && ofMemory
    ? `${chain} has ways or bandwidth for all its NFs together; change them on its page`
    : null;
}

function NotOffered({ resource, why }: { resource: Resource; why: string }): ReactNode {
  return (
    <div className="field">
      <span className="label t2">{RESOURCE_NAMES[resource]}</span>
      <p className="t2 reason">{why}</p>
    </div>
  );
}
