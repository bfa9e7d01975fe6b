/** Artefacts: files that NF configurations refer to by digest; uploaded here, used by chains, deleted when none does. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue } from "react";
import { asProblem } from "@/api/problem";
import { artefactsPages } from "@/api/queries";
import type { FileKind } from "@/api/types";
import { ArtefactsTable } from "@/artefacts/artefacts-table";
import { FileDrop } from "@/artefacts/file-drop";
import { KINDS } from "@/artefacts/files";
import { UploadList } from "@/artefacts/upload-list";
import { useUploads } from "@/artefacts/uploads";
import { cli } from "@/session/cli";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { type ArtefactSearch, artefactSearch, withSort } from "./searches";

export function ArtefactsPage(): ReactNode {
  const filter = useSearch({ from: "/shell/artefacts" });
  const navigate = useNavigate();
  const list = useInfiniteQuery(artefactsPages({ ...filter, search: useDeferredValue(filter.search) }));
  const artefacts = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Artefacts"
        facts={<span>files that NF configurations refer to by digest</span>}
        actions={<CopyButton text={cli.uploadArtefact("FILE")} />}
      />
      <Receive />
      <Filter filter={filter} />
      {list.error && <ProblemNote problem={asProblem(list.error)} />}
      {artefacts.length > 0 && (
        <ArtefactsTable
          artefacts={artefacts}
          sort={filter.sort}
          onSort={(next) => void navigate({ to: "/artefacts", search: withSort(filter, next), replace: true })}
        />
      )}
      {list.isPending && <p className="empty late">Loading artefacts</p>}
      {list.data && artefacts.length === 0 && <Nothing filtered={Boolean(filter.kind ?? filter.search)} />}
      {list.hasNextPage && (
        <p className="empty">
          <Button onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? "Loading more artefacts" : `${filter.sort ? "More" : "Older"} artefacts`}
          </Button>
        </p>
      )}
    </main>
  );
}

function Receive(): ReactNode {
  const uploads = useUploads(null);
  const reason = useActReason("artefacts.write");
  return (
    <Section title="Upload" note="a name that exists gets a new version" padded>
      <div className="snapshot-drop">
        <FileDrop
          label="Drop files here, or "
          button="Choose files"
          multiple
          reason={reason}
          onFiles={(files) => uploads.add(files)}
        />
        <UploadList uploads={uploads} />
        {uploads.rows.length === 0 && (
          <p className="t3">
            Patterns, routes and rules are UTF-8 text; traces are pcap files of Ethernet packets. The extension
            determines the kind: {KINDS.map(({ key }) => `.${key}`).join(", ")}.
          </p>
        )}
      </div>
    </Section>
  );
}

function Filter({ filter }: { filter: ArtefactSearch }): ReactNode {
  const navigate = useNavigate();
  const set = (part: { kind?: FileKind | undefined; search?: string }) =>
    void navigate({ to: "/artefacts", search: artefactSearch({ ...filter, ...part }), replace: true });
  return (
    <search className="list-filter">
      <Segmented<FileKind | "all">
        label="Kind"
        value={filter.kind ?? "all"}
        options={[{ key: "all", text: "All" }, ...KINDS.map(({ key, text }) => ({ key, text }))]}
        onChange={(kind) => set({ kind: kind === "all" ? undefined : kind })}
      />
      <input
        className="input"
        type="search"
        aria-label="Show only artefacts whose name contains, or whose digest begins with"
        placeholder="name or digest"
        maxLength={120}
        value={filter.search ?? ""}
        onChange={(event) => set({ search: event.target.value })}
      />
    </search>
  );
}

function Nothing({ filtered }: { filtered: boolean }): ReactNode {
  if (filtered) return <p className="empty">No artefact has that kind and name.</p>;
  return (
    <div className="empty">
      No artefacts yet. An NF's configuration refers to one by its digest, as in routes_file; it is sent to the hosts
      that need it.
      <div className="actions">
        <code className="command">{cli.uploadArtefact("web.patterns")}</code>
      </div>
    </div>
  );
}
