/** The models a plan rests on: each with its version, and how far it was trusted when the plan was made. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ModelUse } from "@/api/types";
import { count } from "@/lib/format";
import { VerdictText } from "@/trust/trust-word";
import { Mark, Shape } from "@/ui/marks";

/** "assumed drops, measured throughput alone". */
export function provenanceText({ provenance, ideal_provenance }: ModelUse): string {
  return ideal_provenance ? `${provenance} drops, ${ideal_provenance} throughput alone` : provenance;
}

export function ModelsUsed({ models }: { models: readonly ModelUse[] }): ReactNode {
  if (models.length === 0) return "none";
  const assumed = models.filter(({ provenance, ideal_provenance }) => provenance === "assumed" && !ideal_provenance);
  const alone = models.filter(({ ideal_provenance }) => ideal_provenance);
  const fitted = models.length - assumed.length - alone.length;
  const distrusted = models.filter(({ trust }) => trust === "distrusted");
  const hosts = new Set(models.map(({ host_model }) => host_model)).size;
  return (
    <>
      <details>
        <summary>
          {fitted > 0 && count(fitted, "fitted model")}
          {fitted > 0 && alone.length > 0 && ", "}
          {alone.length > 0 && `${alone.length} profiled solo`}
          {fitted + alone.length > 0 && assumed.length > 0 && ", "}
          {assumed.length > 0 && (
            <>
              <Mark origin="assumed" />
              {assumed.length} assumed
            </>
          )}
          {hosts > 1 && `, ${hosts} host models`}
        </summary>
        <ul>
          {models.map((model) => (
            <li key={`${model.nf_type} ${model.host_model}`} title={model.host_model}>
              <Mark origin={model.ideal_provenance ?? model.provenance} />
              <Link to="/nf-types/$name" params={{ name: model.nf_type }}>
                {model.nf_type}
              </Link>{" "}
              {model.version}
              <span className="t3">
                , {provenanceText(model)}
                {hosts > 1 && `, ${model.host_model}`}
              </span>{" "}
              {model.trust && <VerdictText verdict={model.trust} why={model.trust_why ?? undefined} />}
              {model.trust_why && <div className="t3">{model.trust_why}</div>}
            </li>
          ))}
        </ul>
      </details>
      {distrusted.map(({ nf_type, host_model, trust_why }) => (
        <p key={`${nf_type} ${host_model}`} className="warn">
          <Shape name="warn" />
          {nf_type}: {trust_why ?? "its predictions were wrong"}.{" "}
          <Link to="/nf-types/$name" params={{ name: nf_type }}>
            Profile it again
          </Link>
        </p>
      ))}
    </>
  );
}
