/** A place to drop files on, or to choose them with a button. */

import type { ReactNode } from "react";
import { DropZone, FileTrigger, Button as Press, Text } from "react-aria-components";
import { Button } from "@/ui/button";

export function FileDrop(props: {
  label: string;
  button: string;
  multiple?: boolean;
  /** Why nothing may be uploaded now; null: it may. */
  reason: string | null;
  onFiles: (files: File[]) => void;
}): ReactNode {
  const { label, button, multiple = false, reason, onFiles } = props;
  if (reason) {
    return (
      <div className="drop-zone">
        <span>{label} </span>
        <Button reason={reason}>{button}</Button>
      </div>
    );
  }
  return (
    <DropZone
      className="drop-zone"
      onDrop={async ({ items }) => {
        const files = await Promise.all(items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : [])));
        if (files.length > 0) onFiles(multiple ? files : files.slice(0, 1));
      }}
    >
      <Text slot="label">{label} </Text>
      <FileTrigger allowsMultiple={multiple} onSelect={(list) => onFiles([...(list ?? [])])}>
        <Press className="btn">{button}</Press>
      </FileTrigger>
    </DropZone>
  );
}
