/** Which columns of a table are shown. */

import type { ReactNode } from "react";
import { Dialog, DialogTrigger, Popover, Button as Press } from "react-aria-components";
import { Button } from "./button";
import type { SortableColumn } from "./sortable-table";
import { columnsText, shownOf, type TableView } from "./table-view";

export function ColumnChoice<T>(props: {
  columns: readonly SortableColumn<T>[];
  view: TableView;
  onView: (view: TableView) => void;
  small?: boolean;
}): ReactNode {
  const { columns, view, onView, small = false } = props;
  const [first, ...others] = columns.filter(({ fixed }, at) => at === 0 || !fixed);
  const shown = new Set((shownOf(view, columns) ?? columns).map(({ key }) => key));
  const { columns: chosen, ...rest } = view;
  const choose = (key: string, on: boolean) => {
    const keys = new Set(shown);
    if (on) keys.add(key);
    else keys.delete(key);
    onView({ ...rest, columns: columnsText(keys, columns) ?? first?.key ?? "" });
  };
  return (
    <DialogTrigger>
      <Press className={small ? "btn small" : "btn"}>Columns</Press>
      <Popover className="popover" placement="bottom end">
        <Dialog aria-label="Columns" className="column-choice">
          {others.map(({ key, head }) => (
            <label key={key}>
              <input type="checkbox" checked={shown.has(key)} onChange={(event) => choose(key, event.target.checked)} />
              {head}
            </label>
          ))}
          <Button small onClick={() => onView(rest)} reason={chosen ? null : "These columns fit the present width."}>
            Fit to width
          </Button>
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
