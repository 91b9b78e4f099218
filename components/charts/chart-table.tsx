import { memo } from "react";
import { useTranslations } from "use-intl";
import { type ChartSeries, columnsOf, valueText } from "./series";

/** The values of a chart as a table for screen-reader users. */
export const ChartTable = memo(function ChartTable({
  label,
  buckets,
  bucketLabel,
  series,
  format,
}: {
  label: string;
  buckets: readonly number[];
  bucketLabel(at: number): string;
  series: readonly ChartSeries[];
  format(value: number): string;
}) {
  const t = useTranslations("common.chart");
  const columns = columnsOf(series, (name) => t("nameBefore", { name }));
  return (
    // A table does not shrink to the size of `sr-only`, so its wrapper is hidden.
    <div className="sr-only">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{t("time")}</th>
            {columns.map((one) => (
              <th key={one.name} scope="col">
                {one.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.map((at, index) => (
            <tr key={at}>
              <th scope="row">{bucketLabel(at)}</th>
              {columns.map((one) => (
                <td key={one.name}>{valueText(one.values[index], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
});
