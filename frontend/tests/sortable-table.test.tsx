import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { describe, expect, it } from "vitest";
import { chainsSearch } from "@/pages/chains";
import { ColumnChoice } from "@/ui/column-choice";
import { type SortableColumn, SortableTable } from "@/ui/sortable-table";
import { compared, type TableView } from "@/ui/table-view";

interface Row {
  readonly name: string;
  readonly mpps: number | null;
}

const COLUMNS: readonly SortableColumn<Row>[] = [
  { key: "name", head: "Chain", sort: ({ name }) => name, cell: ({ name }) => name },
  { key: "mpps", head: "Mpps", sort: ({ mpps }) => mpps, descendingFirst: true, cell: ({ mpps }) => mpps ?? "–" },
  { key: "note", head: "Note", secondRank: true, cell: () => "n" },
];
const ROWS = [
  { name: "web-10", mpps: 2 },
  { name: "web-9", mpps: null },
  { name: "edge", mpps: 11 },
];

function Page({ start = {}, most }: { start?: TableView; most?: number }): ReactNode {
  const [view, setView] = useState<TableView>(start);
  return (
    <>
      <ColumnChoice columns={COLUMNS} view={view} onView={setView} />
      <SortableTable
        label="Chains"
        columns={COLUMNS}
        rows={ROWS}
        rowKey={({ name }) => name}
        view={view}
        onView={setView}
        {...(most ? { most } : {})}
      />
      <output>{JSON.stringify(view)}</output>
    </>
  );
}

const names = () =>
  within(screen.getByRole("table"))
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.children[0]?.textContent);
const heads = () => screen.getAllByRole("columnheader").map((head) => head.textContent?.trim());
const sorted = () => screen.getAllByRole("columnheader").map((head) => head.getAttribute("aria-sort"));

describe("a table that is sorted", () => {
  it("goes from its own order to the greatest first, the least first, and back, and keeps that for the address", async () => {
    render(<Page />);
    const press = () => userEvent.click(screen.getByRole("button", { name: "Mpps" }));
    expect([names(), sorted()]).toEqual([
      ["web-10", "web-9", "edge"],
      ["none", "none", null],
    ]);
    await press();
    expect([names(), sorted()]).toEqual([
      ["edge", "web-10", "web-9"],
      ["none", "descending", null],
    ]);
    expect(screen.getByRole("status").textContent).toBe('{"sort":"-mpps"}');
    await press();
    expect(names()).toEqual(["web-10", "edge", "web-9"]); // what is not known stays last
    await press();
    expect([names(), screen.getByRole("status").textContent]).toEqual([["web-10", "web-9", "edge"], "{}"]);
  });

  it("takes the order of the address, numbers in names by value, and cuts what it shows after that", () => {
    render(<Page start={{ sort: "name" }} most={2} />);
    expect(names()).toEqual(["edge", "web-9"]);
    expect([compared("a10", "a2") > 0, compared(10, 9) > 0]).toEqual([true, true]);
  });
});

describe("columns", () => {
  it("are chosen one by one, all but that which names the row, and come back", async () => {
    const { container } = render(<Page />);
    expect(container.querySelector(".second-rank")).not.toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "Columns" }));
    const dialog = screen.getByRole("dialog", { name: "Columns" });
    expect(within(dialog).queryByRole("checkbox", { name: "Chain" })).toBeNull();
    await userEvent.click(within(dialog).getByRole("checkbox", { name: "Mpps" }));
    expect(screen.getByRole("status", { hidden: true }).textContent).toBe('{"columns":"name,note"}');
    expect(container.querySelector(".second-rank")).toBeNull(); // chosen columns do not go where the window is narrow
    await userEvent.click(within(dialog).getByRole("button", { name: "Fit to width" }));
    expect(screen.getByRole("status", { hidden: true }).textContent).toBe("{}");
  });

  it("are those of the address", () => {
    render(<Page start={{ columns: "note" }} />);
    expect(heads()).toEqual(["Chain", "Note"]);
  });
});

it("takes of an address what is a view of the chains' table, and no more", () => {
  expect(chainsSearch({ sort: "-p95", columns: "p95,name,gone", find: "web" })).toEqual({
    sort: "-p95",
    columns: "name,p95",
    find: "web",
  });
  expect(chainsSearch({ sort: "gone", columns: "gone", find: 3 })).toEqual({});
  expect(chainsSearch({ sort: { toString: "p95" }, columns: ["p95"] })).toEqual({});
});
