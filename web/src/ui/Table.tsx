import type { ReactNode } from "react";

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** Figures stand at the end of their cell. */
  isFigure?: boolean;
  /** The cell that names the row; it is its header for a screen reader, and its title on a telephone. */
  isName?: boolean;
  /** Buttons or a menu: the column's title is read, not shown. */
  isActions?: boolean;
  /** Left out on narrow screens. */
  isDetail?: boolean;
}

interface TableProps<Row> {
  /** What the table holds, for screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** A row below the others, one cell per column. */
  foot?: readonly ReactNode[];
}

function look<Row>(column: Column<Row>): string | undefined {
  const words = [
    column.isFigure && "figure",
    column.isName && "cell-name",
    column.isActions && "cell-actions",
    column.isDetail && "cell-detail",
  ];
  return words.filter(Boolean).join(" ") || undefined;
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const content = column.cell(row);
  if (column.isName) {
    return (
      <th scope="row" className={look(column)}>
        {content}
      </th>
    );
  }
  return (
    <td className={look(column)} data-title={column.title}>
      {content}
    </td>
  );
}

/** A table; on narrow screens each row is a card with the columns' titles beside the values. */
export function Table<Row>({ caption, columns, rows, rowKey, foot }: TableProps<Row>) {
  return (
    <table className="table">
      <caption className="only-read">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.key} scope="col" className={look({ ...column, isName: false })}>
              {column.isActions ? <span className="only-read">{column.title}</span> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map((column) => (
              <Cell key={column.key} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
      {foot && (
        <tfoot>
          <tr>
            {columns.map((column, place) => (
              <td key={column.key} className={look({ ...column, isName: false })} data-title={column.title}>
                {foot[place]}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
