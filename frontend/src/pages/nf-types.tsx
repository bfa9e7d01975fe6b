/** NF types: the catalogue, what operators added to it, and what plans know about each on every host model. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { modelsQuery, trustQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import { nfTypesQuery } from "@/api/queries";
import type { NfType } from "@/api/types";
import { useLive } from "@/live/store";
import { hostModelsOf } from "@/nf-types/standing";
import { TYPE_COLUMNS } from "@/nf-types/type-columns";
import { TypesTable } from "@/nf-types/types-table";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { TrustLines } from "@/trust/trust-word";
import { byWeight } from "@/trust/words";
import { Button } from "@/ui/button";
import { ColumnChoice } from "@/ui/column-choice";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { Pager, usePages } from "@/ui/pager";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { type NfTypesSearch, nfTypesSearch } from "./searches";

/** So many host models have room beside each other. */
const ACROSS = 4;
/** So many are read through without a filter. */
const FEW = 12;

const route = getRouteApi("/shell/nf-types");

export function NfTypesPage(): ReactNode {
  const catalogue = useQuery(nfTypesQuery);
  const models = useQuery(modelsQuery);
  const trust = useQuery(trustQuery());
  const hosts = useLive((state) => state.hosts);
  const { find = "", ...view } = route.useSearch();
  const navigate = useNavigate();
  const set = (next: NfTypesSearch) =>
    void navigate({ to: "/nf-types", search: nfTypesSearch({ ...next }), replace: true });
  const all = catalogue.data?.items ?? [];
  const hostModels = useMemo(() => hostModelsOf(hosts.values(), models.data ?? []), [hosts, models.data]);
  const across = usePages(hostModels, ACROSS);
  const trusted = (nfType: string, hostModel: string) => (
    <TrustLines
      trusts={byWeight(
        (trust.data ?? []).filter(({ nf_type, host_model }) => nf_type === nfType && host_model === hostModel),
      )}
    />
  );
  const wanted = find.trim().toLowerCase();
  const found = wanted ? all.filter((type) => type.name.includes(wanted) || runs(type).includes(wanted)) : all;
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="NF types"
        facts={catalogue.data && <Facts types={all} />}
        actions={
          <>
            {(all.length > FEW || find) && <Find text={find} onFind={(text) => set({ ...view, find: text })} />}
            {all.length > 0 && (
              <ColumnChoice columns={TYPE_COLUMNS} view={view} onView={(next) => set({ find, ...next })} />
            )}
            <CopyButton text={cli.nfTypes()} curl={curls.nfTypes()} />
            <RegisterButton />
          </>
        }
      />
      {catalogue.error && <ProblemNote problem={asProblem(catalogue.error)} />}
      {(models.error ?? trust.error) && <PartProblem problem={asProblem(models.error ?? trust.error)} />}
      {catalogue.isPending && <p className="empty late">Loading NF types</p>}
      <Pager pages={across} one="host model" />
      {found.length > 0 && (
        <TypesTable
          types={found}
          hostModels={hostModels}
          shown={across.shown}
          models={models.data ?? []}
          trust={trusted}
          view={view}
          onView={(next) => set({ find, ...next })}
        />
      )}
      {catalogue.data && found.length === 0 && (
        <p className="empty">No NF type's name contains that text. Clear it to see all {all.length}.</p>
      )}
      {catalogue.data && all.every(({ implementation }) => !implementation) && <NoneRegistered />}
    </main>
  );
}

function Find({ text, onFind }: { text: string; onFind: (text: string) => void }): ReactNode {
  return (
    <input
      className="input"
      type="search"
      aria-label="Show only NF types whose name, or what they run, contains"
      placeholder="name"
      value={text}
      onChange={(event) => onFind(event.target.value)}
    />
  );
}

function runs(type: NfType): string {
  return type.implementation ?? type.name;
}

function Facts({ types }: { types: readonly NfType[] }): ReactNode {
  const registered = types.filter(({ implementation }) => implementation).length;
  return (
    <span>
      <b>{types.length}</b> {types.length === 1 ? "type" : "types"}, {registered} registered
    </span>
  );
}

/** Also where it may not be pressed, with the reason. */
function RegisterButton(): ReactNode {
  const reason = useActReason("nf-types.write");
  if (reason) {
    return <Button reason={reason}>Register NF type</Button>;
  }
  return (
    <Link className="btn primary" to="/register-nf-type">
      Register NF type
    </Link>
  );
}

function NoneRegistered(): ReactNode {
  return (
    <div className="empty">
      None is registered yet. A registered NF type is a built-in program with your own defaults, such as a firewall with
      your rules. It is profiled, modelled and planned under its own name.
      <div className="actions">
        <code className="command">{cli.registerNfType("edge-firewall", "firewall", { synthetic_rules: 5000 })}</code>
      </div>
    </div>
  );
}
