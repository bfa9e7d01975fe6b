/** What the list is narrowed to: actor, action, object and time, each kept in the address. */

import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "@/ui/button";
import { type AuditFilter, auditFilter, isFiltered, localInput, OBJECT_KINDS } from "./filter";

export function FilterBar({ filter }: { filter: AuditFilter }): ReactNode {
  const navigate = useNavigate();
  const set = (part: Record<string, string>) =>
    void navigate({ to: "/audit", search: auditFilter({ ...filter, ...part }), replace: true });
  const text = (name: "actor" | "action" | "object" | "request", label: string, placeholder: string) => (
    <label>
      <span>{label}</span>
      <input
        className="input"
        type="search"
        placeholder={placeholder}
        maxLength={200}
        spellCheck={false}
        value={filter[name] ?? ""}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </label>
  );
  const moment = (name: "since" | "until", label: string) => (
    <label>
      <span>{label}</span>
      <input
        className="input"
        type="datetime-local"
        value={localInput(filter[name])}
        onChange={(event) => set({ [name]: event.target.value })}
      />
    </label>
  );
  return (
    <search className="audit-filter">
      {text("actor", "Actor", "ada, host/edge-1")}
      {text("action", "Action", "plan, chain.submit")}
      <label>
        <span>Object kind</span>
        <select className="input" value={filter.kind ?? ""} onChange={(event) => set({ kind: event.target.value })}>
          <option value="">any</option>
          {OBJECT_KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </select>
      </label>
      {text("object", "Object", "id or name")}
      {text("request", "Request", "id")}
      {moment("since", "From")}
      {moment("until", "To")}
      <Button
        reason={isFiltered(filter) ? null : "All entries are shown."}
        onClick={() => void navigate({ to: "/audit", search: filter.sort ? { sort: filter.sort } : {}, replace: true })}
      >
        Clear
      </Button>
    </search>
  );
}
