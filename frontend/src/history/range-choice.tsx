/** A choice of a range of time: up to now, or between two instants. */

import { type ReactNode, useState } from "react";
import { Segmented } from "@/ui/segmented";
import { between, DEFAULT_RANGE, instantOf, localInput, RANGES, type RangeKey, type RangeSearch } from "./ranges";

const OPTIONS: readonly { key: RangeKey | "custom"; text: string }[] = [...RANGES, { key: "custom", text: "Custom" }];

export function RangeChoice(props: {
  search: RangeSearch;
  onChange: (search: RangeSearch) => void;
  /** Stands before it: the choice of whose figures are shown. */
  of?: ReactNode;
}): ReactNode {
  const { search, onChange } = props;
  const custom = search.from !== undefined;
  const shown = between(search, Date.now());
  return (
    <div className="history-tools">
      {props.of}
      <Segmented
        label="Range of time"
        value={custom ? "custom" : (search.range ?? DEFAULT_RANGE)}
        options={OPTIONS}
        onChange={(key) => onChange(key === "custom" ? shown : { range: key })}
      />
      {custom && <Between key={`${shown.from} ${shown.to}`} from={shown.from} to={shown.to} onChange={onChange} />}
    </div>
  );
}

/** Both are taken once they are a range. */
function Between(props: { from: string; to: string; onChange: (search: RangeSearch) => void }): ReactNode {
  const [from, setFrom] = useState(localInput(props.from));
  const [to, setTo] = useState(localInput(props.to));
  const [first, last] = [instantOf(from), instantOf(to)];
  const wrong = !first || !last || first >= last;
  const take = () => {
    if (!wrong && (from !== localInput(props.from) || to !== localInput(props.to))) {
      props.onChange({ from: first, to: last });
    }
  };
  return (
    <>
      <label>
        from
        <input
          className="input"
          type="datetime-local"
          value={from}
          onChange={(e) => setFrom(e.target.value)}
          onBlur={take}
        />
      </label>
      <label>
        to
        <input
          className="input"
          type="datetime-local"
          value={to}
          onChange={(e) => setTo(e.target.value)}
          onBlur={take}
        />
      </label>
      {wrong && (
        <span className="bad" role="alert">
          The first moment must be before the second.
        </span>
      )}
    </>
  );
}
