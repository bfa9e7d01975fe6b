/** One NF type: what it starts with, and on each host model its model, how it suffers and presses, and trust in it. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { versionsQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import { nfTypeQuery, nfTypesQuery } from "@/api/queries";
import type { ModelVersion, NfType } from "@/api/types";
import { useLive } from "@/live/store";
import { Defaults } from "@/nf-types/defaults";
import { JobsSide } from "@/nf-types/jobs-side";
import { LevelsSection } from "@/nf-types/levels-section";
import { OnHostModel } from "@/nf-types/on-host-model";
import { RemoveType } from "@/nf-types/remove-type";
import { SharesSection } from "@/nf-types/shares-section";
import { type HostModel, hostModelsOf } from "@/nf-types/standing";
import { TrustSide } from "@/nf-types/trust-side";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";
import { type NfTypeSearch, nfTypeSearch } from "./searches";

const route = getRouteApi("/shell/nf-types/$name");

export function NfTypePage(): ReactNode {
  const { name } = route.useParams();
  const { data, error } = useQuery(nfTypeQuery(name));
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/nf-types">NF types</Link>}
        name={name}
        facts={data && <Facts type={data.type} />}
        actions={data && <Actions type={data.type} tag={data.tag} />}
      />
      {error && !data && <ProblemNote problem={asProblem(error)} />}
      {!error && !data && <p className="empty late">Loading {name}</p>}
      {data && <Content key={name} type={data.type} />}
    </main>
  );
}

function Facts({ type }: { type: NfType }): ReactNode {
  return (
    <>
      <span className="strong">{type.short_name}</span>
      <span>
        {type.implementation ? (
          <>
            runs{" "}
            <Link to="/nf-types/$name" params={{ name: type.implementation }}>
              {type.implementation}
            </Link>
          </>
        ) : (
          "built in"
        )}
      </span>
      <span>version {type.version}</span>
      <span className="second-rank">
        {type.summary} <span className="t3">({type.library})</span>
      </span>
    </>
  );
}

function Actions({ type, tag }: { type: NfType; tag: string }): ReactNode {
  const reason = useActReason("nf-types.write");
  const params = { name: type.name };
  if (!type.implementation) {
    return (
      <>
        <CopyButton text={cli.showNfType(type.name)} curl={curls.showNfType(type.name)} />
        {reason ? (
          <Button reason={reason}>Register a variant</Button>
        ) : (
          <Link className="btn" to="/register-nf-type" search={{ runs: type.name }}>
            Register a variant
          </Link>
        )}
      </>
    );
  }
  return (
    <>
      <CopyButton text={cli.showNfType(type.name)} curl={curls.showNfType(type.name)} />
      {reason ? (
        <Button reason={reason}>Edit</Button>
      ) : (
        <Link className="btn" to="/nf-types/$name/edit" params={params}>
          Edit
        </Link>
      )}
      <RemoveType type={type} tag={tag} />
    </>
  );
}

function Content({ type }: { type: NfType }): ReactNode {
  const view = useView(type.name);
  const catalogue = useQuery(nfTypesQuery).data?.items ?? [];
  const implementation = catalogue.find(({ name }) => name === type.implementation);
  return (
    <div className="columns nf-type-columns">
      <div className="main">
        <Defaults type={type} implementation={implementation} />
        {view.error && <PartProblem problem={asProblem(view.error)} />}
        <HostModels view={view} />
        {view.host && (
          <OnHostModel
            key={view.host.name}
            type={type}
            host={view.host}
            versions={view.versions}
            shown={view.shown}
            onShow={(fit) => view.go({ fit })}
          />
        )}
        {view.host && <LevelsSection nfType={type.name} hostModel={view.host.name} hosts={view.host.hosts} />}
        {view.host && <SharesSection nfType={type.name} hostModel={view.host.name} hosts={view.host.hosts} />}
      </div>
      <Side label="Trust and profiling">
        {view.host && (
          <>
            <TrustSide nfType={type.name} hostModel={view.host.name} />
            <JobsSide nfType={type.name} hostModel={view.host.name} host={view.host.hosts[0]} />
          </>
        )}
      </Side>
    </div>
  );
}

type View = ReturnType<typeof useView>;

function HostModels({ view }: { view: View }): ReactNode {
  const { host, hostModels, pending } = view;
  if (!host) {
    return <p className={pending ? "empty late" : "empty"}>{pending ? "Loading hosts" : "No host is enrolled yet."}</p>;
  }
  return (
    <Section title="Host model" note="hosts of one model share models of NF types" padded>
      <div className="host-model-choice">
        <Choose
          label="On"
          value={host.name}
          choices={hostModels.map(({ name, hosts }) => ({ key: name, text: name, note: hostsText(hosts) }))}
          onChange={(on) => view.go({ on })}
        />
        <span className="t2">{hostsText(host.hosts)}</span>
      </div>
    </Section>
  );
}

function hostsText(hosts: readonly string[]): string {
  if (hosts.length === 0) return "no host of it is left";
  const more = hosts.length > 4 ? ` and ${hosts.length - 4} more` : "";
  return `${hosts.slice(0, 4).join(", ")}${more}`;
}

/** What the address says to show, or what is most worth showing. */
function useView(nfType: string) {
  const search = route.useSearch();
  const navigate = useNavigate();
  const stored = useQuery(versionsQuery(nfType));
  const hosts = useLive((state) => state.hosts);
  const all = useMemo(() => stored.data?.items ?? [], [stored.data]);
  const hostModels = useMemo(() => hostModelsOf(hosts.values(), all), [hosts, all]);
  const host = hostModels.find(({ name }) => name === search.on) ?? bestHost(hostModels, all);
  const versions = all.filter(({ host_model }) => host_model === host?.name);
  const shown = versions.find(({ fit_id }) => fit_id === search.fit) ?? mostUsed(versions);
  return {
    hostModels,
    host,
    versions,
    shown,
    error: stored.error,
    pending: stored.isPending,
    go: (to: NfTypeSearch) =>
      void navigate({
        to: "/nf-types/$name",
        params: { name: nfType },
        search: nfTypeSearch(to.on ? { on: to.on } : { ...search, ...(host ? { on: host.name } : {}), ...to }),
        replace: true,
      }),
  };
}

/** One that there are models on, else the most usual. */
function bestHost(hostModels: readonly HostModel[], versions: readonly ModelVersion[]): HostModel | undefined {
  return hostModels.find(({ name }) => versions.some(({ host_model }) => host_model === name)) ?? hostModels[0];
}

/** The one that plans use, else the newest. */
function mostUsed(versions: readonly ModelVersion[]): ModelVersion | null {
  return versions.find(({ state }) => state === "promoted") ?? versions[0] ?? null;
}
