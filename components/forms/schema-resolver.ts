import { useMemo } from "react";
import type { FieldValues, Resolver } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { $ZodType, input, output } from "zod/v4/core";

/**
 * A form's resolver from a contract's schema, with each fault in the page's language. The schema and what reads it are
 * fetched by the first check, not with the page; `load` must not change between renders. When they cannot be fetched
 * the values go out as they are: the server checks them by the same schema.
 */
export function useSchemaResolver<Schema extends $ZodType<FieldValues, FieldValues>>(
  load: () => Promise<Schema>,
): Resolver<input<Schema>, unknown, output<Schema>> {
  const t = useTranslations("common.fieldError");
  return useMemo(() => {
    const resolve: Resolver<input<Schema>, unknown, output<Schema>> = async (values, _context, options) => {
      try {
        // In this order: schemas look at the settings of the first when they are made.
        const { checkSchema } = await import("./check-schema");
        return checkSchema(await load(), values, options, t);
      } catch {
        // Both types are of the same fields; the server has the last word.
        return { values: values as output<Schema>, errors: {} };
      }
    };
    return resolve;
  }, [load, t]);
}
