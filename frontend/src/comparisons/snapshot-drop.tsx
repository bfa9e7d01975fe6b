/** Takes a snapshot file, chosen or dropped, and says what it holds. */

import { type ReactNode, useState } from "react";
import { DropZone, FileTrigger, Button as Press, Text } from "react-aria-components";
import { count, sizeText, when } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { HOW, MAX_BYTES, readSnapshotFile, type SnapshotFile } from "./snapshot-file";

export function SnapshotDrop(props: {
  file: SnapshotFile | null;
  onFile: (file: SnapshotFile | null) => void;
  /** What the console said of the file. */
  errors: readonly { field: string; message: string }[];
}): ReactNode {
  const { file, onFile, errors } = props;
  const [state, setState] = useState<{ reading?: string; error?: string }>({});
  async function take(chosen: File | null | undefined): Promise<void> {
    if (!chosen) return;
    setState({ reading: chosen.name });
    const found = await look(chosen);
    setState("error" in found ? { error: found.error } : {});
    onFile("error" in found ? null : found);
  }
  return (
    <div className="snapshot-drop">
      <DropZone
        className="drop-zone"
        getDropOperation={(types) => (types.has("application/json") || types.has("") ? "copy" : "cancel")}
        onDrop={async ({ items }) => {
          const item = items.find(({ kind }) => kind === "file");
          if (item?.kind === "file") await take(await item.getFile());
        }}
      >
        <Text slot="label">Drop a snapshot file here, or </Text>
        <FileTrigger acceptedFileTypes={["application/json", ".json"]} onSelect={(list) => void take(list?.[0])}>
          <Press className="btn">Choose file</Press>
        </FileTrigger>
      </DropZone>
      {state.reading && <p className="t2">Reading {state.reading}</p>}
      {state.error && (
        <p className="bad" role="alert">
          <Shape name="bad" />
          {state.error}
        </p>
      )}
      {file && <Holds file={file} />}
      {errors.length > 0 && (
        <div role="alert">
          <ul className="bad">
            {errors.map(({ field, message }) => (
              <li key={`${field} ${message}`}>
                <span className="mono">{field}</span> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {!file && !state.error && (
        <p className="t3">
          {HOW}. At most {sizeText(MAX_BYTES)}.
        </p>
      )}
    </div>
  );
}

function Holds({ file }: { file: SnapshotFile }): ReactNode {
  return (
    <p role="status">
      <b className="strong">{file.name}</b>, {sizeText(file.bytes)}: {count(file.hosts, "host")},{" "}
      {count(file.chains, "chain")}, {count(file.nfs, "NF")}
      {file.takenAt && `, taken ${when(file.takenAt)}`}
    </p>
  );
}

async function look(file: File): Promise<SnapshotFile | { error: string }> {
  if (file.size > MAX_BYTES) {
    return { error: `${file.name} has ${sizeText(file.size)}; the limit is ${sizeText(MAX_BYTES)}.` };
  }
  return readSnapshotFile(file.name, file.size, await file.text());
}
