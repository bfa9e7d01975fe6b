/** Uploads of one part of a page: each with its progress, its end, and the way to cancel it. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useReducer, useRef } from "react";
import { asProblem, plainProblem } from "@/api/problem";
import { ARTEFACTS } from "@/api/queries";
import type { Artefact, FileKind, Problem } from "@/api/types";
import { uploadArtefact } from "@/api/upload";
import { artefactName, isArtefactName, kindByEnding, MOST_BYTES } from "./files";

export type Stage =
  /** Waits for the operator to choose its kind, which its ending does not show. */
  | { readonly at: "asked" }
  | { readonly at: "sending"; readonly share: number }
  | { readonly at: "stored"; readonly artefact: Artefact; readonly created: boolean }
  | { readonly at: "failed"; readonly problem: Problem };

export interface UploadRow {
  readonly id: number;
  readonly file: File;
  readonly name: string;
  readonly kind: FileKind | null;
  readonly stage: Stage;
}

export interface Uploads {
  readonly rows: readonly UploadRow[];
  readonly add: (files: Iterable<File>) => void;
  /** Sends, or sends again. */
  readonly send: (row: UploadRow, name: string, kind: FileKind) => void;
  /** Ends the sending, or puts away what has ended. */
  readonly drop: (id: number) => void;
}

type Change =
  | { readonly do: "add"; readonly row: UploadRow }
  | { readonly do: "set"; readonly id: number; readonly part: Partial<UploadRow> }
  | { readonly do: "drop"; readonly id: number };

function changed(rows: readonly UploadRow[], change: Change): readonly UploadRow[] {
  if (change.do === "add") return [...rows, change.row];
  if (change.do === "drop") return rows.filter(({ id }) => id !== change.id);
  return rows.map((row) => (row.id === change.id ? { ...row, ...change.part } : row));
}

let nextId = 0;

/** `fixed` is the kind that the place takes; without it the file's ending decides, or the operator. */
export function useUploads(fixed: FileKind | null, onStored?: (artefact: Artefact) => void): Uploads {
  const [rows, change] = useReducer(changed, []);
  const cancels = useRef(new Map<number, () => void>());
  const client = useQueryClient();
  useEffect(() => {
    const running = cancels.current;
    return () => {
      for (const cancel of running.values()) cancel();
    };
  }, []);

  const send = ({ id, file }: Pick<UploadRow, "id" | "file">, name: string, kind: FileKind) => {
    const set = (stage: Stage) => change({ do: "set", id, part: { name, kind, stage } });
    const wrong = whyNot(file, name);
    if (wrong) return set({ at: "failed", problem: wrong });
    set({ at: "sending", share: 0 });
    const upload = uploadArtefact(file, name, kind, (share) => set({ at: "sending", share }));
    cancels.current.set(id, upload.cancel);
    upload.done
      .then(({ artefact, created }) => {
        set({ at: "stored", artefact, created });
        void client.invalidateQueries({ queryKey: ARTEFACTS });
        onStored?.(artefact);
      })
      .catch((error: unknown) => set({ at: "failed", problem: asProblem(error) }))
      .finally(() => cancels.current.delete(id));
  };

  return {
    rows,
    send,
    add: (files) => {
      for (const file of files) {
        nextId += 1;
        const row = { id: nextId, file, name: artefactName(file.name), kind: fixed ?? kindByEnding(file.name) };
        change({ do: "add", row: { ...row, stage: { at: "asked" } } });
        if (row.kind) send(row, row.name, row.kind);
      }
    },
    drop: (id) => {
      cancels.current.get(id)?.();
      change({ do: "drop", id });
    },
  };
}

/** What need not be sent to be refused. */
function whyNot(file: File, name: string): Problem | null {
  if (!isArtefactName(name)) return plainProblem("validation", "The name is not valid", `'${name}' cannot be a name.`);
  if (file.size <= MOST_BYTES) return null;
  const limit = `${MOST_BYTES / 2 ** 20} MiB`;
  return plainProblem("body-too-large", "The file is too large", `It has more than ${limit}. Nothing was sent.`);
}
