/** Fleet, the home page: the heat map by host, node, core and slot, live. */

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { memo, type ReactNode, useCallback, useDeferredValue, useLayoutEffect, useRef, useState } from "react";
import { BriefChainsTable, chainsInOrder } from "@/chains/chains-table";
import { AddHost } from "@/fleet/add-host";
import type { Density } from "@/fleet/density";
import { fleetSort } from "@/fleet/fleet-rows";
import { FleetTable } from "@/fleet/fleet-table";
import { HeatMap } from "@/fleet/heat-map";
import { LayerChoice, layerThen } from "@/fleet/layer-choice";
import { useLayerKeys } from "@/fleet/layer-keys";
import { DEFAULT_LAYER, type LayerKey, layerFrom } from "@/fleet/layers";
import { Legend } from "@/fleet/legend";
import { whyNoLoad } from "@/fleet/load-words";
import { type Palette, readPalette } from "@/fleet/palette";
import { whyUnpredicted } from "@/fleet/prediction-words";
import { SideColumn } from "@/fleet/side-column";
import { type Fleet, type Totals, useFleet } from "@/fleet/use-fleet";
import { whyMissing } from "@/fleet/why-missing";
import { MomentBar } from "@/history/moment-bar";
import { aMomentAgo, type MomentSearch, momentSearch } from "@/history/moment-search";
import { PastSide } from "@/history/past-side";
import { type Past, usePast } from "@/history/use-past";
import { count, figure, thousands } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useLive } from "@/live/store";
import { ReplaceFleet } from "@/plans/replace";
import { PolicyButton } from "@/recommendations/policy-button";
import { RecommendationStrips } from "@/recommendations/strip";
import { useTheme } from "@/session/theme";
import { Mark, Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { PartProblem } from "@/ui/part-problem";
import { Segmented } from "@/ui/segmented";

export interface FleetSearch extends MomentSearch {
  layer?: LayerKey;
  /** End of the layer's scale, where the operator has set one. */
  max?: number;
  view?: "table";
  /** Of the table: "-cpu". */
  sort?: string;
  level?: Density;
  find?: string;
  /** host/core/slot */
  pin?: string;
}

const LEVELS: readonly Density[] = ["labelled", "compact", "dense", "mass"];

export function fleetSearch(raw: Record<string, unknown>): FleetSearch {
  const layer = layerFrom(raw.layer);
  const sort = fleetSort(raw.sort);
  const level = LEVELS.find((each) => each === raw.level);
  return {
    ...(layer ? { layer } : {}),
    ...(typeof raw.max === "number" && raw.max > 0 && raw.max <= 1000 ? { max: raw.max } : {}),
    ...(raw.view === "table" ? { view: "table" as const } : {}),
    ...(sort ? { sort } : {}),
    ...(level ? { level } : {}),
    ...(raw.find !== undefined && raw.find !== "" ? { find: String(raw.find) } : {}),
    ...(typeof raw.pin === "string" ? { pin: raw.pin } : {}),
    ...momentSearch(raw),
  };
}

const route = getRouteApi("/shell/");

/** A thousand hosts take longer to draw than a press may wait for its answer: the tools show at once what was chosen, and
 * the map follows. */
export function FleetPage(): ReactNode {
  return <Shown search={useDeferredValue(route.useSearch())} />;
}

/** The bar stands where the address says, at once: behind it, each key pressed meanwhile would begin where the page is. */
function ChosenMoment(props: { past: Past; set: (change: Change) => void; move: (at: string) => void }): ReactNode {
  const search = route.useSearch();
  const { past, set, move } = props;
  return (
    search.at && (
      <MomentBar
        search={{ ...search, at: search.at }}
        past={past}
        actions={{
          move,
          back: () => set({ at: undefined }),
          span: (span) => set({ span }),
          compare: search.with ? null : () => set({ with: search.at }),
        }}
      />
    )
  );
}

const Shown = memo(function Shown({ search }: { search: FleetSearch }): ReactNode {
  const navigate = useNavigate({ from: "/" });
  const { room, size } = useRoom();
  const past = usePast(search.at ?? null);
  const fleet = useFleet(
    {
      layer: past === null ? (search.layer ?? DEFAULT_LAYER) : layerThen(search.layer ?? DEFAULT_LAYER),
      max: search.max,
      find: search.find ?? "",
      level: search.level,
      width: size.width,
      height: size.height,
    },
    past?.state ?? null,
  );
  const palette = usePalette();
  const set = (change: Change) => void navigate({ search: (old) => fleetSearch({ ...old, ...change }), replace: true });
  useLayerKeys(set, search.view);
  const move = useCallback(
    (at: string) => void navigate({ search: (old) => fleetSearch({ ...old, at }), replace: true }),
    [navigate],
  );

  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        name="Fleet"
        facts={<Facts totals={totalsThen(fleet.totals, past)} violated={fleet.violations.length} />}
        actions={past === null && <Actions />}
      />
      {past === null && <RecommendationStrips most={1} />}
      {past !== null && <ChosenMoment past={past} set={set} move={move} />}
      <div className="columns">
        <section className="map" aria-label="Heat map of the fleet">
          <Tools fleet={fleet} set={set} />
          {fleet.predictions.problem && <PartProblem problem={fleet.predictions.problem} />}
          {search.view === "table" ? (
            <FleetTable
              models={fleet.models}
              onPin={(pin) => set({ pin })}
              sort={search.sort}
              onSort={(sort) => set({ sort })}
            />
          ) : (
            <div className="map-scroll" ref={room}>
              <Empty fleet={fleet} find={search.find} onClear={() => set({ find: undefined })} />
              {fleet.models.length > 0 && (
                <HeatMap
                  layout={fleet.layout}
                  models={fleet.models}
                  layer={fleet.layer}
                  palette={palette}
                  pinned={search.pin ?? null}
                  onPin={(pin) => set({ pin: pin ?? undefined })}
                />
              )}
              {past === null && fleet.layout.level === "labelled" && fleet.models.length > 0 && <ChainsBelow />}
            </div>
          )}
          <Legend
            layer={fleet.layer}
            level={fleet.layout.level}
            models={fleet.models}
            whyMissing={
              whyMissing(fleet.layer, fleet.models) ??
              whyNoLoad(fleet.layer, fleet.models) ??
              whyUnpredicted(fleet.layer, fleet.models)
            }
            onRange={(max) => set({ max })}
          />
        </section>
        {past === null ? (
          <SideColumn fleet={fleet} pin={search.pin ?? null} onPin={(pin) => set({ pin: pin ?? undefined })} />
        ) : (
          <PastSide
            fleet={fleet}
            past={past.fleet}
            at={search.at ?? ""}
            pin={search.pin ?? null}
            compared={
              search.with && search.at
                ? { before: search.with, after: search.at, onEnd: () => set({ with: undefined }) }
                : undefined
            }
          />
        )}
      </div>
    </main>
  );
});

type Change = { [K in keyof FleetSearch]?: FleetSearch[K] | undefined };

/** Chains of a past moment are known by their figures alone. */
function totalsThen(totals: Totals, past: Past | null): Totals {
  return past?.fleet ? { ...totals, chains: past.fleet.chains.length } : totals;
}

function Facts({ totals, violated }: { totals: Totals; violated: number }): ReactNode {
  const part = totals.shown < totals.hosts;
  return (
    <>
      <span>
        {part ? (
          <>
            <b>{thousands(totals.shown)}</b> of {count(totals.hosts, "host")} shown
          </>
        ) : (
          <>
            <b>{thousands(totals.hosts)}</b> {totals.hosts === 1 ? "host" : "hosts"}
          </>
        )}
      </span>
      <span>
        <b>{thousands(totals.cores)}</b> cores, <b>{thousands(totals.inUse)}</b> {totals.shared ? "slots " : ""}in use
      </span>
      <span>
        <b>{thousands(totals.chains)}</b> {totals.chains === 1 ? "chain" : "chains"}
      </span>
      {violated > 0 && (
        <span className="bad">
          <Shape name="bad" />
          {violated} violated
        </span>
      )}
      {totals.stale > 0 && (
        <span className="warn">
          <Shape name="stale" />
          {totals.stale} stale
        </span>
      )}
      {totals.unreachable > 0 && (
        <span className="warn">
          <Shape name="cross" />
          {totals.unreachable} unreachable
        </span>
      )}
      {totals.mpps.length > 0 && (
        <span>
          {totals.mpps.map((sum, index) => (
            <span key={sum.provenance}>
              {index > 0 && " and "}
              <Mark origin={sum.provenance} />
              <b>{figure(sum.value)}</b>
            </span>
          ))}{" "}
          Mpps
          {totals.stale + totals.unreachable > 0 && (
            <span className="t3"> without {count(totals.stale + totals.unreachable, "silent host")}</span>
          )}
        </span>
      )}
    </>
  );
}

function Actions(): ReactNode {
  return (
    <>
      <AddHost />
      <PolicyButton />
      <ReplaceFleet />
      <Link className="btn primary" to="/chains/new">
        New chain <kbd>N</kbd>
      </Link>
    </>
  );
}

function Tools(props: { fleet: Fleet; set: (change: Change) => void }): ReactNode {
  const { fleet, set } = props;
  const search = route.useSearch();
  return (
    <div className="tools">
      <LayerChoice
        layer={search.layer ?? DEFAULT_LAYER}
        then={search.at !== undefined}
        onChange={(layer) => set({ layer, max: undefined })}
      />
      <input
        className="input"
        type="search"
        aria-label="Show only hosts that match a host, chain or NF"
        placeholder="host, chain or NF"
        value={search.find ?? ""}
        onChange={(event) => set({ find: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape") set({ find: undefined });
        }}
      />
      {search.level && (
        <span className="t2">
          {fleet.layout.level} by you{" "}
          <button type="button" className="btn quiet small" onClick={() => set({ level: undefined })}>
            By number of hosts
          </button>
        </span>
      )}
      <span className="end">
        {search.at === undefined && (
          <button type="button" className="btn small" onClick={() => set({ at: aMomentAgo() })}>
            History
          </button>
        )}{" "}
        <Segmented
          label="Map or table"
          value={search.view ?? "map"}
          options={[
            { key: "map", text: "Map" },
            { key: "table", text: "Table" },
          ]}
          onChange={(view) => set({ view: view === "table" ? "table" : undefined })}
        />
      </span>
    </div>
  );
}

/** A small fleet leaves room: its chains stand below the map. */
function ChainsBelow(): ReactNode {
  const chains = useLive((state) => state.chains);
  if (chains.size === 0) {
    return (
      <p className="below t2">
        <Claim>No chains yet: all slots are free.</Claim> <Link to="/chains/new">Submit the first</Link>, or run{" "}
        <code className="command">sextant chains submit examples/chains/edge.yaml --apply --wait</code>.
      </p>
    );
  }
  return (
    <section className="below" aria-label="Chains">
      <h2>Chains</h2>
      <BriefChainsTable chains={chainsInOrder(chains.values()).slice(0, 12)} />
      {chains.size > 12 && (
        <p>
          12 of {chains.size} chains. <Link to="/chains">All chains</Link>
        </p>
      )}
    </section>
  );
}

function Empty(props: { fleet: Fleet; find: string | undefined; onClear: () => void }): ReactNode {
  const { fleet, find, onClear } = props;
  if (fleet.models.length > 0) return null;
  if (find) {
    return (
      <div className="empty">
        No host, chain or NF matches <code className="command">{find}</code>.
        <div className="actions">
          <button type="button" className="btn" onClick={onClear}>
            Clear the filter
          </button>
        </div>
      </div>
    );
  }
  return (
    <div className="empty">
      <Claim>No hosts yet.</Claim> `make up` enrols this machine; check its agent with{" "}
      <code className="command">make status</code>. Add one with <b className="strong">Add host</b>.
    </div>
  );
}

/** The room the map has, in CSS pixels. */
function useRoom() {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const [size, setSize] = useState({ width: 900, height: 600 });
  useLayoutEffect(() => {
    if (!element) return;
    const measure = () => {
      const style = getComputedStyle(element);
      const across = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
      const width = Math.floor(element.clientWidth - across - 8);
      const height = Math.floor(element.clientHeight - 24);
      setSize((old) => (old.width === width && old.height === height ? old : { width, height }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { room: setElement, size };
}

/** The canvas's colours; read again when the theme changes. */
function usePalette(): Palette {
  const theme = useTheme();
  const known = useRef<{ theme: string; palette: Palette } | null>(null);
  if (known.current?.theme !== theme) known.current = { theme, palette: readPalette() };
  return known.current.palette;
}
