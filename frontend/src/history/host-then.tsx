/** A host as it was at a moment: its picture, what its NFs did, and its chains. */

import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import type { HostView } from "@/api/types";
import { LayerChoice, layerThen } from "@/fleet/layer-choice";
import { DEFAULT_LAYER, type LayerKey, layerOf } from "@/fleet/layers";
import { Legend } from "@/fleet/legend";
import { whyNoLoad } from "@/fleet/load-words";
import { whyMissing } from "@/fleet/why-missing";
import { FiguresNote } from "@/hosts/figures-note";
import { HostPicture } from "@/hosts/picture";
import { figure, thousands } from "@/lib/format";
import { live } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";
import { type MomentActions, MomentBar } from "./moment-bar";
import type { MomentSearch } from "./moment-search";
import { NfsThen } from "./nfs-then";
import { pastHost } from "./past-host";
import { ChainsThen, HistorySize, PinnedThen } from "./past-side";
import { usePast } from "./use-past";

export function HostThen(props: {
  host: HostView;
  search: MomentSearch & { at: string; layer?: LayerKey; max?: number; pin?: string };
  actions: MomentActions;
  onLayer: (layer: LayerKey) => void;
  onMax: (max: number | undefined) => void;
  onPin: (seat: string | null) => void;
  /** Charts over a range of time. */
  children: ReactNode;
}): ReactNode {
  const { host, search } = props;
  const id = host.host_id;
  const of = { host: id };
  const past = usePast(search.at, of);
  const layer = useMemo(
    () => layerOf(layerThen(search.layer ?? DEFAULT_LAYER), search.max),
    [search.layer, search.max],
  );
  const fleet = past?.fleet ?? null;
  const data = useMemo(() => pastHost(fleet, live.getState(), id, layer), [fleet, id, layer]);
  const unit = data?.model.units.find(({ core, slot }) => `${core.id}/${slot}` === search.pin);
  return (
    <main className="page fixed host-page" id="page" tabIndex={-1} data-figures={data?.figures ?? "none"}>
      <PageTitle
        path={
          <Link to="/" search={{ at: search.at }}>
            Fleet
          </Link>
        }
        name={id}
        facts={
          data && (
            <>
              <span>
                <b>{thousands(data.model.cores.flat().length)}</b> cores, <b>{data.model.inUse}</b> in use
              </span>
              {data.host.throughput_mpps !== null && (
                <span>
                  <Mark origin={data.host.provenance} />
                  <b>{figure(data.host.throughput_mpps)}</b> Mpps
                </span>
              )}
            </>
          )
        }
        actions={<CopyButton text={cli.hostThen(search.at, id)} curl={curls.hostThen(search.at, id)} />}
      />
      {past && <MomentBar search={search} past={past} of={of} actions={props.actions} />}
      <div className="columns">
        <div className="main">
          <Section
            title="NUMA picture then"
            note={data && <FiguresNote data={data} />}
            end={<LayerChoice layer={search.layer ?? DEFAULT_LAYER} then onChange={props.onLayer} />}
          >
            {!data && !past?.problem && <p className="section-body t2">Reading…</p>}
            {data && (
              <>
                <HostPicture data={data} pinned={search.pin ?? null} onPin={props.onPin} then />
                <Legend
                  layer={data.layer}
                  level="labelled"
                  models={[data.model]}
                  whyMissing={whyMissing(data.layer, [data.model]) ?? whyNoLoad(data.layer, [data.model])}
                  onRange={props.onMax}
                />
              </>
            )}
          </Section>
          {data && <NfsThen label={`NFs of ${id} then`} at={search.at} hosts={fleet?.hosts ?? []} />}
          {props.children}
        </div>
        <Side label="Details of the moment">
          {unit && <PinnedThen unit={unit} />}
          <ChainsThen past={fleet} at={search.at} />
          <HistorySize />
        </Side>
      </div>
    </main>
  );
}
