/** What the addresses of pages may say, for those pages that are loaded when they are first opened. */

import { SEVERITIES } from "@/alerts/words";
import {
  ALERT_SORTS,
  type AlertSort,
  ARTEFACT_SORTS,
  type ArtefactSort,
  CHANNEL_SORTS,
  COMPARISON_SORTS,
  DELIVERY_SORTS,
  OPERATION_SORTS,
  type OperationSort,
  PLAN_SORTS,
  type PlanSort,
  POLICY_SORTS,
  PROFILING_SORTS,
  type ProfilingSort,
  RACE_SORTS,
  RECOMMENDATION_SORTS,
  RULE_SORTS,
  SESSION_SORTS,
  SILENCE_SORTS,
  STUDY_SORTS,
  type StudySort,
  sortIn,
  TIMELINE_SORTS,
  TOKEN_SORTS,
  USER_SORTS,
  type UserSort,
  WINDOW_SORTS,
} from "@/api/sorts";
import type {
  AlertSeverity,
  Comparison,
  FileKind,
  OperationState,
  PlanState,
  Recommendation,
  StudyState,
} from "@/api/types";
import { isFileKind } from "@/artefacts/files";
import { type LawTab, lawTab } from "@/automation/law-tabs";
import { RANKING_COLUMNS } from "@/comparisons/ranking-columns";
import { type LayerKey, layerFrom } from "@/fleet/layers";
import { type MomentSearch, momentSearch } from "@/history/moment-search";
import { type RangeSearch, rangeSearch } from "@/history/ranges";
import { type SubjectSearch, subjectSearch } from "@/history/subjects";
import { NF_COLUMNS } from "@/hosts/nf-columns";
import { type CocoSearch, cocoSearch } from "@/laws/coco/search";
import { type LawSearch, lawSearch } from "@/laws/numasfp/search";
import { sharedCoresSearch } from "@/laws/sfc2cpu/search";
import { type Srv6Search, srv6Search } from "@/laws/srv6/search";
import { TYPE_COLUMNS } from "@/nf-types/type-columns";
import { isOperationState, isPlanState, isRecommendationState, isStudyState } from "@/states/table";
import { type TableView, tableView } from "@/ui/table-view";

/** Which time the charts show, whose figures, and the moment that the page is shown at. */
export interface HistorySearch extends RangeSearch, MomentSearch, SubjectSearch {}

export function historySearch(raw: Record<string, unknown>): HistorySearch {
  return { ...rangeSearch(raw), ...momentSearch(raw), ...subjectSearch(raw) };
}

/** How the table of NFs is looked at stands with it. */
export interface HostSearch extends TableView, HistorySearch {
  layer?: LayerKey;
  /** End of the layer's scale, where the operator has set one. */
  max?: number;
  view?: "table";
  /** core/slot */
  pin?: string;
  /** The chain that is shown in full. */
  chain?: string;
  /** The NF that is to move: the picture shows what is predicted on each core. */
  move?: string;
  /** The section Interference is open. */
  interference?: true;
}

/** A bookmark of the release before this one says `hurts` for `interference`. */
export function hostSearch(raw: Record<string, unknown>): HostSearch {
  const layer = layerFrom(raw.layer);
  return {
    ...(layer ? { layer } : {}),
    ...(typeof raw.max === "number" && raw.max > 0 && raw.max <= 1000 ? { max: raw.max } : {}),
    ...(raw.view === "table" ? { view: "table" as const } : {}),
    ...(typeof raw.pin === "string" && /^\d+\/\d+$/.test(raw.pin) ? { pin: raw.pin } : {}),
    ...(typeof raw.chain === "string" ? { chain: raw.chain } : {}),
    ...(typeof raw.move === "string" && raw.move.length <= 130 ? { move: raw.move } : {}),
    ...(raw.interference === true || raw.hurts === true ? { interference: true as const } : {}),
    ...historySearch(raw),
    ...tableView(raw, NF_COLUMNS),
  };
}

const AUTOMATION_LISTS = {
  recommendations: RECOMMENDATION_SORTS,
  policies: POLICY_SORTS,
  windows: WINDOW_SORTS,
  timeline: TIMELINE_SORTS,
};

export interface AutomationSearch extends LawSearch, CocoSearch, Srv6Search, SortsOf<typeof AUTOMATION_LISTS> {
  /** The law whose tab is open; all laws without it. */
  tab?: LawTab;
  /** Only recommendations in this state. */
  recommended?: Recommendation["state"];
}

export function automationSearch(raw: Record<string, unknown>): AutomationSearch {
  const tab = lawTab(raw.tab);
  return {
    ...(tab ? { tab } : {}),
    ...(tab === "numasfp" ? lawSearch(raw) : {}),
    ...(tab === "coco" ? cocoSearch(raw) : {}),
    ...(tab === "sfc2cpu" ? sharedCoresSearch(raw) : {}),
    ...(tab === "srv6" ? srv6Search(raw) : {}),
    ...(isRecommendationState(raw.recommended) ? { recommended: raw.recommended } : {}),
    ...sortsSearch(raw, AUTOMATION_LISTS),
  };
}

const BESIDE_ALERTS = {
  silences: SILENCE_SORTS,
  channels: CHANNEL_SORTS,
  deliveries: DELIVERY_SORTS,
  rules: RULE_SORTS,
};

/** `sort` is that of the alerts. */
export interface AlertsSearch extends SortSearch<AlertSort>, SortsOf<typeof BESIDE_ALERTS> {
  state?: "firing" | "resolved";
  severity?: AlertSeverity;
}

export function alertsSearch(raw: Record<string, unknown>): AlertsSearch {
  const severity = SEVERITIES.find((one) => one === raw.severity);
  return {
    ...(raw.state === "firing" || raw.state === "resolved" ? { state: raw.state } : {}),
    ...(severity ? { severity } : {}),
    ...sortSearch(raw, ALERT_SORTS),
    ...sortsSearch(raw, BESIDE_ALERTS),
  };
}

export interface ArtefactSearch extends SortSearch<ArtefactSort> {
  kind?: FileKind;
  search?: string;
}

export function artefactSearch(raw: Record<string, unknown>): ArtefactSearch {
  const text = typeof raw.search === "string" ? raw.search.slice(0, 120) : "";
  const kind = isFileKind(raw.kind) ? { kind: raw.kind } : {};
  return { ...kind, ...(text ? { search: text } : {}), ...sortSearch(raw, ARTEFACT_SORTS) };
}

export interface RegisterSearch {
  /** The built-in type that it shall run. */
  runs?: string;
}

export function registerSearch(raw: Record<string, unknown>): RegisterSearch {
  return typeof raw.runs === "string" ? { runs: raw.runs.slice(0, 63) } : {};
}

/** `sort` and `columns` of the catalogue. */
export interface NfTypesSearch extends TableView {
  /** Only types whose name, or what they run, contains it. */
  find?: string;
}

export function nfTypesSearch(raw: Record<string, unknown>): NfTypesSearch {
  const find = typeof raw.find === "string" ? raw.find.slice(0, 120) : "";
  return { ...tableView(raw, TYPE_COLUMNS), ...(find ? { find } : {}) };
}

export interface NfTypeSearch {
  /** Host model. */
  on?: string;
  /** Fit whose model is shown. */
  fit?: number;
}

export function nfTypeSearch(raw: Record<string, unknown>): NfTypeSearch {
  const fit = Number(raw.fit);
  return {
    ...(typeof raw.on === "string" && raw.on !== "" ? { on: raw.on.slice(0, 200) } : {}),
    ...(Number.isSafeInteger(fit) && fit > 0 ? { fit } : {}),
  };
}

export interface ProfilingSearch extends SortSearch<ProfilingSort> {
  /** Only jobs of this NF type. */
  type?: string;
}

export function profilingSearch(raw: Record<string, unknown>): ProfilingSearch {
  const type = typeof raw.type === "string" && /^[a-z0-9-]{1,63}$/.test(raw.type) ? { type: raw.type } : {};
  return { ...type, ...sortSearch(raw, PROFILING_SORTS) };
}

/** Without it a list is in its own order. */
export interface SortSearch<S extends string> {
  sort?: S;
}

/** What a plan or an operation touches. */
interface TouchingSearch {
  host?: string;
  chain?: string;
}

function touchingSearch(raw: Record<string, unknown>): TouchingSearch {
  return { ...(isName(raw.host) ? { host: raw.host } : {}), ...(isName(raw.chain) ? { chain: raw.chain } : {}) };
}

/** Of a host or a chain. */
function isName(text: unknown): text is string {
  return typeof text === "string" && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

export interface OperationsSearch extends SortSearch<OperationSort>, TouchingSearch {
  state?: OperationState;
}

export function operationsSearch(raw: Record<string, unknown>): OperationsSearch {
  const state = isOperationState(raw.state) ? { state: raw.state } : {};
  return { ...state, ...touchingSearch(raw), ...sortSearch(raw, OPERATION_SORTS) };
}

export interface PlansSearch extends SortSearch<PlanSort>, TouchingSearch {
  state?: PlanState;
}

export function plansSearch(raw: Record<string, unknown>): PlansSearch {
  const state = isPlanState(raw.state) ? { state: raw.state } : {};
  return { ...state, ...touchingSearch(raw), ...sortSearch(raw, PLAN_SORTS) };
}

export function usersSearch(raw: Record<string, unknown>): SortSearch<UserSort> {
  return sortSearch(raw, USER_SORTS);
}

/** Where a page has several lists, each by its name; without it in the list's own order. */
type SortsOf<L extends Record<string, readonly string[]>> = { [Name in keyof L]?: L[Name][number] };

/** What becomes of it when heads of those lists are pressed: undefined for the list's own order. */
export type Resorted<S> = { [Name in keyof S]?: S[Name] | undefined };

const ACCOUNT_LISTS = { sessions: SESSION_SORTS, tokens: TOKEN_SORTS };
export type AccountSearch = SortsOf<typeof ACCOUNT_LISTS>;

export function accountSearch(raw: Record<string, unknown>): AccountSearch {
  return sortsSearch(raw, ACCOUNT_LISTS);
}

const COMPARE_LISTS = { comparisons: COMPARISON_SORTS, races: RACE_SORTS };

export interface CompareSearch extends SortsOf<typeof COMPARE_LISTS> {
  /** Only comparisons on snapshots of the fleet, or of files. */
  source?: Comparison["source"];
  /** Only comparisons whose snapshot's name contains it. */
  find?: string;
  /** Only races on this host model. */
  model?: string;
  /** How the table of algorithms is sorted: "-margin". */
  ranking?: string;
}

export function compareSearch(raw: Record<string, unknown>): CompareSearch {
  const { sort: ranking } = tableView({ sort: raw.ranking }, RANKING_COLUMNS);
  return {
    ...(raw.source === "fleet" || raw.source === "file" ? { source: raw.source } : {}),
    ...(typeof raw.find === "string" && raw.find !== "" ? { find: raw.find.slice(0, 120) } : {}),
    ...(typeof raw.model === "string" && raw.model !== "" ? { model: raw.model.slice(0, 200) } : {}),
    ...(ranking ? { ranking } : {}),
    ...sortsSearch(raw, COMPARE_LISTS),
  };
}

function sortsSearch<L extends Record<string, readonly string[]>>(raw: Record<string, unknown>, lists: L): SortsOf<L> {
  const found = Object.entries(lists).map(([name, all]) => [name, sortIn(raw[name], all)] as const);
  return Object.fromEntries(found.filter(([, sort]) => sort !== undefined)) as SortsOf<L>;
}

function sortSearch<S extends string>(raw: Record<string, unknown>, all: readonly S[]): SortSearch<S> {
  const sort = sortIn(raw.sort, all);
  return sort ? { sort } : {};
}

/** The same page, sorted otherwise; undefined for its own order. */
export function withSort<F extends SortSearch<string>>(search: F, sort: F["sort"] | undefined): F {
  const { sort: _former, ...others } = search;
  return (sort ? { ...others, sort } : others) as F;
}

export interface StudiesSearch extends SortSearch<StudySort> {
  state?: StudyState;
}

export function studiesSearch(raw: Record<string, unknown>): StudiesSearch {
  return { ...(isStudyState(raw.state) ? { state: raw.state } : {}), ...sortSearch(raw, STUDY_SORTS) };
}

export interface StudyNewSearch {
  /** Begins with that example instead of what was being written. */
  example?: string;
  /** Begins with the scenario of that study. */
  from?: number;
}

export function studyNewSearch(raw: Record<string, unknown>): StudyNewSearch {
  if (typeof raw.example === "string" && /^[a-z0-9-]{1,63}$/.test(raw.example)) return { example: raw.example };
  const from = Number(raw.from);
  return Number.isSafeInteger(from) && from > 0 ? { from } : {};
}
