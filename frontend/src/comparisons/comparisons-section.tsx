/** Comparisons so far: of the fleet or of files, found by the name of their snapshot. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue } from "react";
import { asProblem } from "@/api/problem";
import { type ComparisonFilter, comparisonsPages } from "@/api/queries";
import type { Comparison } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { ComparisonsTable } from "./comparisons-table";

const SOURCES = [
  { key: "all", text: "All" },
  { key: "fleet", text: "Of the fleet" },
  { key: "file", text: "Of a file" },
] as const;

export function ComparisonsSection(props: {
  filter: ComparisonFilter;
  onFilter: (change: ComparisonFilter) => void;
}): ReactNode {
  const { filter, onFilter } = props;
  const { source, sort } = filter;
  const list = useInfiniteQuery(comparisonsPages({ ...filter, search: useDeferredValue(filter.search) }));
  const comparisons = list.data?.pages.flatMap((page) => page.items) ?? [];
  const narrowed = Boolean(source ?? filter.search);
  return (
    <Section title="Comparisons" end={<CopyButton text={cli.comparisons()} curl={curls.comparisons()} />}>
      {(narrowed || comparisons.length > 0) && (
        <search className="list-filter">
          <Segmented<Comparison["source"] | "all">
            label="Which comparisons"
            value={source ?? "all"}
            options={SOURCES}
            onChange={(key) => onFilter({ source: key === "all" ? undefined : key })}
          />
          <input
            className="input"
            type="search"
            aria-label="Show only comparisons whose snapshot's name contains"
            placeholder="name of the snapshot"
            maxLength={120}
            value={filter.search ?? ""}
            onChange={(event) => onFilter({ search: event.target.value || undefined })}
          />
        </search>
      )}
      {list.error && <ProblemNote problem={asProblem(list.error)} />}
      {list.isPending && <p className="section-body t2 late">Loading comparisons</p>}
      {comparisons.length > 0 && (
        <ComparisonsTable comparisons={comparisons} sort={sort} onSort={(next) => onFilter({ sort: next })} />
      )}
      {list.data && comparisons.length === 0 && (
        <p className="section-body t2">{narrowed ? "No comparison matches." : "None yet."}</p>
      )}
      {list.hasNextPage && (
        <p className="section-body">
          <Button small onClick={() => void list.fetchNextPage()}>
            {sort ? "More" : "Older"} comparisons
          </Button>
        </p>
      )}
    </Section>
  );
}
