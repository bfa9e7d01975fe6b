/** One host: where everything stands, how it does, what the host can and cannot, and a way to move an NF. */

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useCallback } from "react";
import type { HostView } from "@/api/types";
import { LayerChoice } from "@/fleet/layer-choice";
import { useLayerKeys } from "@/fleet/layer-keys";
import { DEFAULT_LAYER } from "@/fleet/layers";
import { Legend } from "@/fleet/legend";
import { whyNoLoad } from "@/fleet/load-words";
import { type Moving, PinnedCore } from "@/fleet/pinned-core";
import { whyUnpredicted } from "@/fleet/prediction-words";
import { whyMissing } from "@/fleet/why-missing";
import { HostThen } from "@/history/host-then";
import { aMomentAgo } from "@/history/moment-search";
import { SubjectChoice } from "@/history/subject-choice";
import { SubjectHistory } from "@/history/subject-history";
import { subjectOf } from "@/history/subjects";
import { ActiveFaults } from "@/hosts/active-faults";
import { ChainsOnHost } from "@/hosts/chains-on-host";
import { CoreSlots } from "@/hosts/core-slots";
import { Drift } from "@/hosts/drift";
import { FiguresNote } from "@/hosts/figures-note";
import { HostAutomation } from "@/hosts/host-automation";
import { Capabilities, HostFacts, OperationsHere } from "@/hosts/host-facts";
import { HostInterference } from "@/hosts/host-interference";
import { Empty, Missing, NeverReported } from "@/hosts/host-states";
import { HostTables } from "@/hosts/host-tables";
import { Maintenance } from "@/hosts/maintenance";
import { MovingPicture } from "@/hosts/moving-picture";
import { NfColumnChoice, NfTable } from "@/hosts/nf-table";
import { OrderFault } from "@/hosts/order-fault";
import { RemoveHost } from "@/hosts/remove-host";
import { ReservedCores } from "@/hosts/reserved-cores";
import { RevokeHost } from "@/hosts/revoke-host";
import { SilentBanner } from "@/hosts/silent-banner";
import { SimulatedLine } from "@/hosts/simulated-line";
import { TitleFacts } from "@/hosts/title-facts";
import { type HostData, useHost } from "@/hosts/use-host";
import { ViolatedHere } from "@/hosts/violated-here";
import { useLive } from "@/live/store";
import { HostStartCommands } from "@/opennetvm/start-commands";
import { ReplaceHost } from "@/plans/replace";
import { whyNot } from "@/profiling/ask-draft";
import { StartProfile } from "@/profiling/start-profile";
import { HostResources } from "@/resources/host-resources";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Later } from "@/ui/later";
import { PageTitle } from "@/ui/page-title";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { Side } from "@/ui/side";
import type { TableView } from "@/ui/table-view";
import { type HostSearch, hostSearch } from "./searches";

type Change = { [K in keyof HostSearch]?: HostSearch[K] | undefined };

const route = getRouteApi("/shell/hosts/$id");

export function HostPage(): ReactNode {
  const { id } = route.useParams();
  const host = useLive((state) => state.hosts.get(id));
  if (!host) return <Missing id={id} />;
  return <Host key={id} host={host} />;
}

function Host({ host }: { host: HostView }): ReactNode {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/hosts/$id" });
  const data = useHost(host, search.layer ?? DEFAULT_LAYER, search.max);
  const set = (change: Change) => void navigate({ search: (old) => hostSearch({ ...old, ...change }), replace: true });
  const pin = (seat: string | null) => set({ pin: seat ?? undefined, move: undefined });
  const moving = { nfId: search.move ?? null, set: (nfId: string | null) => set({ move: nfId ?? undefined }) };
  const move = useCallback(
    (at: string) => void navigate({ search: (old) => hostSearch({ ...old, at }), replace: true }),
    [navigate],
  );
  useLayerKeys(set, search.view);
  if (search.at) {
    return (
      <HostThen
        host={host}
        search={{ ...search, at: search.at }}
        actions={{ move, back: () => set({ at: undefined }), span: (span) => set({ span }), compare: null }}
        onLayer={(layer) => set({ layer, max: undefined })}
        onMax={(max) => set({ max })}
        onPin={pin}
      >
        <History data={data} search={search} set={set} />
      </HostThen>
    );
  }
  return (
    <main className="page fixed host-page" id="page" tabIndex={-1} data-figures={data.figures}>
      <PageTitle
        path={
          <>
            <Link to="/">Fleet</Link>
            {host.labels.rack && ` / ${host.labels.rack}`}
          </>
        }
        name={host.host_id}
        facts={<TitleFacts data={data} />}
        actions={
          <>
            <CopyButton text={cli.showHost(host.host_id)} curl={curls.showHost(host.host_id)} />
            <StartProfile host={host.host_id} label="Profile" reason={profileReason(host)} />
            {host.inventory && <HostStartCommands host={host.host_id} />}
            <OrderFault data={data} />
            <RevokeHost host={host} />
            <RemoveHost host={host} chains={data.chains} />
            <ReplaceHost host={host.host_id} />
          </>
        }
      />
      <SimulatedLine host={host} />
      <SilentBanner host={host} />
      <div className="columns">
        <div className="main">
          {host.inventory ? (
            <Known data={data} search={search} set={set} pin={pin} />
          ) : (
            <NeverReported id={host.host_id} />
          )}
        </div>
        <Side label="Details">
          <Pinned data={data} pin={search.pin} onPin={pin} moving={moving} />
          <ViolatedHere data={data} />
          <ActiveFaults host={host} />
          <Maintenance host={host} chains={data.chains.length} />
          <ReservedCores host={host} nfs={data.nfs} />
          <CoreSlots host={host} nfs={data.nfs} />
          <HostFacts host={host} />
          <Capabilities host={host} />
          <OperationsHere host={host.host_id} />
        </Side>
      </div>
    </main>
  );
}

function profileReason(host: HostView): string | null {
  const why = whyNot(host);
  return why && `It cannot profile: ${why}`;
}

function Known(props: {
  data: HostData;
  search: HostSearch;
  set: (change: Change) => void;
  pin: (seat: string | null) => void;
}): ReactNode {
  const { data, search, set, pin } = props;
  const { host, nfs, chains } = data;
  const onView = ({ sort, columns }: TableView) => set({ sort, columns });
  const table = { data, view: search, onView };
  return (
    <>
      <Section title="NUMA picture" note={<FiguresNote data={data} short />} end={<Tools search={search} set={set} />}>
        {data.predictions.problem && <PartProblem problem={data.predictions.problem} />}
        {search.view === "table" ? (
          <HostTables data={data} onPin={pin} />
        ) : (
          <>
            <MovingPicture data={data} pinned={search.pin ?? null} onPin={pin} moving={search.move} />
            <Legend
              layer={data.layer}
              level="labelled"
              models={[data.model]}
              whyMissing={
                whyMissing(data.layer, [data.model]) ??
                whyNoLoad(data.layer, [data.model]) ??
                whyUnpredicted(data.layer, [data.model])
              }
              onRange={(max) => set({ max })}
            />
          </>
        )}
      </Section>
      <Later>
        <HostResources host={host} nfs={nfs} />
        <Drift host={host} />
        <Section
          title="NFs"
          note={
            nfs.length > 0 ? (
              <>
                {nfs.length}, <FiguresNote data={data} />
              </>
            ) : undefined
          }
          end={nfs.length > 0 && <NfColumnChoice {...table} />}
        >
          {nfs.length > 0 ? <NfTable {...table} onPin={pin} /> : <Empty host={host.host_id} />}
        </Section>
        {chains.length > 0 && (
          <Section
            title="Chains on this host"
            note={
              <>
                {chains.length}, <FiguresNote data={data} />
              </>
            }
          >
            <ChainsOnHost data={data} chosen={search.chain} onChoose={(chain) => set({ chain })} />
          </Section>
        )}
        <div id="automation">
          <HostAutomation host={host.host_id} />
        </div>
        <HostInterference
          host={host.host_id}
          open={search.interference === true}
          onToggle={(open) => set({ interference: open ? true : undefined })}
        />
        <History data={data} search={search} set={set} />
      </Later>
    </>
  );
}

function History(props: { data: HostData; search: HostSearch; set: (change: Change) => void }): ReactNode {
  const { data, search, set } = props;
  const host = data.host.host_id;
  const nfs = data.nfs.map(({ nf_id }) => ({ key: `nf-${nf_id}`, text: nf_id }));
  const cores = (data.host.inventory?.cores ?? []).map(({ id }) => ({ key: `core-${id}`, text: `core ${id}` }));
  return (
    <SubjectHistory
      subject={subjectOf(search, host) ?? { kind: "host", host }}
      search={search}
      onChange={(next) => set({ range: undefined, from: undefined, to: undefined, ...next })}
      of={
        <SubjectChoice
          own={`all chains of ${host}`}
          groups={[
            { label: "NFs", options: nfs },
            { label: "Cores", options: cores },
          ]}
          value={search.of}
          onChange={(of) => set({ of })}
        />
      }
      marksOf={{ host }}
      then="The host then"
      onAt={(at) => set({ at })}
    />
  );
}

function Tools({ search, set }: { search: HostSearch; set: (change: Change) => void }): ReactNode {
  return (
    <span className="host-tools">
      <button type="button" className="btn small" onClick={() => set({ at: aMomentAgo() })}>
        History
      </button>
      <LayerChoice layer={search.layer ?? DEFAULT_LAYER} onChange={(layer) => set({ layer, max: undefined })} />
      <Segmented
        label="Picture or table"
        value={search.view ?? "picture"}
        options={[
          { key: "picture", text: "Picture" },
          { key: "table", text: "Table" },
        ]}
        onChange={(view) => set({ view: view === "table" ? "table" : undefined })}
      />
    </span>
  );
}

function Pinned({
  data,
  pin,
  onPin,
  moving,
}: {
  data: HostData;
  pin: string | undefined;
  onPin: (seat: string | null) => void;
  moving: Moving;
}) {
  if (!pin) return null;
  const unit = data.model.units.find(({ core, slot }) => `${core.id}/${slot}` === pin);
  if (!unit) {
    return (
      <Section title={`Core ${pin}`}>
        <p className="empty">This host has no such core and slot.</p>
      </Section>
    );
  }
  return (
    <PinnedCore
      unit={unit}
      onHostPage
      moving={moving}
      model={data.model}
      onPin={(slot) => onPin(`${unit.core.id}/${slot}`)}
      onUnpin={() => onPin(null)}
    />
  );
}
