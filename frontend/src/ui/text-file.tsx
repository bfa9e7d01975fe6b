/** A text of the page as a file to be kept. */

import { type ReactNode, useEffect, useState } from "react";

export function TextFile(props: { text: string; name: string; label: string; type: string }): ReactNode {
  const { text, name, label, type } = props;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([text], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [text, type]);
  return (
    <a className="btn small" href={url} download={name}>
      {label}
    </a>
  );
}
