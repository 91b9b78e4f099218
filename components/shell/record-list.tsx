"use client";

import { Fragment, type ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "../ui/table";

export interface Column<Item> {
  /** React key. */
  name: string;
  heading: string;
  cell(item: Item): ReactNode;
  /** Class of the table's heading and cells. */
  className?: string;
  /** Whether the card lists it too; default: always. The first column is usually the card's title instead. */
  isOnCard?(item: Item): boolean;
}

interface RecordListProps<Item extends { id: string }> {
  items: readonly Item[];
  columns: readonly Column<Item>[];
  /** Name of the table and list for screen readers, where no heading precedes them. */
  label?: string;
  menu?(item: Item): ReactNode;
  cardTitle(item: Item): ReactNode;
  cardFooter?(item: Item): ReactNode;
}

/** Records as a table, or on a phone as cards that list the same columns. */
export function RecordList<Item extends { id: string }>(props: RecordListProps<Item>) {
  const { label, items, columns, menu, cardTitle, cardFooter } = props;
  return (
    <>
      <div className="hidden min-w-0 md:block">
        <RecordTable {...props} />
      </div>
      <ul aria-label={label} className="divide-y rounded-md border bg-panel md:hidden">
        {items.map((item) => (
          <li key={item.id} className="grid gap-3 p-4">
            <div className="flex items-start gap-2">
              <div className="min-w-0 flex-1">{cardTitle(item)}</div>
              {menu?.(item)}
            </div>
            <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-1.5 text-sm [&>dt]:text-ink-faint">
              {columns
                .filter((column) => column.isOnCard?.(item) ?? true)
                .map(({ name, heading, cell }) => (
                  <Fragment key={name}>
                    <dt>{heading}</dt>
                    <dd>{cell(item)}</dd>
                  </Fragment>
                ))}
            </dl>
            {cardFooter?.(item)}
          </li>
        ))}
      </ul>
    </>
  );
}

function RecordTable<Item extends { id: string }>({ label, items, columns, menu }: RecordListProps<Item>) {
  const t = useTranslations("common");
  return (
    <Table aria-label={label}>
      <TableHeader>
        <tr>
          {columns.map(({ name, heading, className }) => (
            <TableHead key={name} className={className}>
              {heading}
            </TableHead>
          ))}
          {menu === undefined ? null : (
            <TableHead>
              <span className="sr-only">{t("actions")}</span>
            </TableHead>
          )}
        </tr>
      </TableHeader>
      <TableBody>
        {items.map((item) => (
          <TableRow key={item.id}>
            {columns.map(({ name, cell, className }) => (
              <TableCell key={name} className={className}>
                {cell(item)}
              </TableCell>
            ))}
            {menu === undefined ? null : <TableCell className="text-right">{menu(item)}</TableCell>}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}
