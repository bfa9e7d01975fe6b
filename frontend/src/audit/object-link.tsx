/** The object of an entry, with a way to its page where there is one. What was deleted has none any more, and says so there. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AuditEntry } from "@/api/types";

export function ObjectLink({ entry }: { entry: AuditEntry }): ReactNode {
  const { object_kind, object_id, object_name, subject } = entry;
  if (object_kind === "request") return <code>{subject}</code>;
  const way = wayTo(object_kind, object_id);
  const text = object_id === "" ? object_kind : `${object_kind} ${object_id}`;
  return (
    <>
      {way ? <Link {...way}>{text}</Link> : text}
      {object_name && <span className="t3"> {object_name}</span>}
    </>
  );
}

function wayTo(kind: string, id: string) {
  switch (kind) {
    case "chain":
      return { to: "/chains/$name", params: { name: id } } as const;
    case "plan":
      return { to: "/plans/$planId", params: { planId: id } } as const;
    case "operation":
      return { to: "/operations/$operationId", params: { operationId: id } } as const;
    case "host":
      return { to: "/hosts/$id", params: { id } } as const;
    case "nf-type":
      return { to: "/nf-types/$name", params: { name: id } } as const;
    case "profiling":
      return { to: "/profiling/$id", params: { id } } as const;
    case "study":
      return { to: "/studies/$id", params: { id } } as const;
    case "comparison":
      return { to: "/comparisons/$id", params: { id } } as const;
    case "artefact":
      return { to: "/artefacts", search: { search: id.split("/")[0] ?? "" } } as const;
    case "user":
      return { to: "/users" } as const;
    case "policy":
    case "automation":
    case "recommendation":
      return { to: "/automation" } as const;
    default:
      return null;
  }
}
