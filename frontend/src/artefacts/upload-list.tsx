/** Files on their way: progress, cancel, what is missing, how it ended. */

import { type ReactNode, useState } from "react";
import type { FileKind, Problem } from "@/api/types";
import { sizeText } from "@/lib/format";
import { Button } from "@/ui/button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Picker } from "@/ui/select";
import { isArtefactName, KINDS, NAME_RULE } from "./files";
import type { UploadRow, Uploads } from "./uploads";

export function UploadList({ uploads }: { uploads: Uploads }): ReactNode {
  if (uploads.rows.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Uploads">
      {uploads.rows.map((row) => (
        <li key={row.id}>
          <Row row={row} uploads={uploads} />
        </li>
      ))}
    </ul>
  );
}

function Row({ row, uploads }: { row: UploadRow; uploads: Uploads }): ReactNode {
  const { stage, file } = row;
  if (stage.at === "asked") return <Question row={row} uploads={uploads} />;
  if (stage.at === "sending") {
    return (
      <div className="upload">
        <span>
          {row.name} <span className="t3">{sizeText(file.size)}</span>
        </span>
        <progress aria-label={`Upload of ${row.name}`} max={1} value={stage.share} />
        <span className="num">{stage.share < 1 ? `${Math.floor(100 * stage.share)} %` : "storing"}</span>
        <Button small onClick={() => uploads.drop(row.id)}>
          Cancel
        </Button>
      </div>
    );
  }
  if (stage.at === "stored") {
    const { name, version } = stage.artefact;
    return (
      <div className="upload" role="status">
        <span>
          {stage.created
            ? `${name} is stored as version ${version}.`
            : `This file is already stored: ${name} version ${version}.`}
        </span>
        <Button small look="quiet" onClick={() => uploads.drop(row.id)}>
          Dismiss
        </Button>
      </div>
    );
  }
  return <Failed row={row} problem={stage.problem} uploads={uploads} />;
}

function Failed({ row, problem, uploads }: { row: UploadRow; problem: Problem; uploads: Uploads }): ReactNode {
  const { name, kind } = row;
  // One fault is the cause itself; of several the cause says the first.
  const errors = (problem.errors ?? []).length > 1 ? problem.errors : [];
  return (
    <ProblemNote
      problem={{ ...problem, title: `${name} was not stored: ${lower(problem.title)}`, errors: errors ?? [] }}
      onDismiss={() => uploads.drop(row.id)}
    >
      {kind && (
        <div className="row-actions">
          <Button small onClick={() => uploads.send(row, name, kind)}>
            Retry
          </Button>
        </div>
      )}
    </ProblemNote>
  );
}

function lower(title: string): string {
  return title.charAt(0).toLowerCase() + title.slice(1);
}

/** Its ending says nothing of its kind, so the operator does. */
function Question({ row, uploads }: { row: UploadRow; uploads: Uploads }): ReactNode {
  const [name, setName] = useState(row.name);
  const [kind, setKind] = useState<FileKind | null>(row.kind);
  const fits = isArtefactName(name);
  return (
    <div className="upload-question">
      <p>
        What is in <b className="strong">{row.file.name}</b>? <span className="t3">{sizeText(row.file.size)}</span>
      </p>
      <div className="fields">
        <Picker
          label="Kind"
          value={kind}
          choices={KINDS.map(({ key, text, note }) => ({ key, text, note }))}
          onChange={(key) => setKind(key as FileKind)}
        />
        <Field label="Name" value={name} onChange={setName} error={fits ? undefined : NAME_RULE} />
      </div>
      <div className="row-actions">
        <Button
          small
          look="primary"
          onClick={() => kind && uploads.send(row, name, kind)}
          reason={kind === null ? "Choose its kind." : fits ? null : "The name is not valid."}
        >
          Upload
        </Button>
        <Button small look="quiet" onClick={() => uploads.drop(row.id)}>
          Dismiss
        </Button>
      </div>
    </div>
  );
}
