import { useMemo } from "react";
import type { FieldValues, Resolver } from "react-hook-form";
import { useTranslations } from "use-intl";
import type { $ZodType, input, output } from "zod/v4/core";

/**
 * A form's resolver from a contract's schema, with issues in the page's language. Schema and validator are loaded at the
 * first validation, not with the page; `load` must not change between renders. If they fail to load, the values are sent
 * unchecked: the server validates them with the same schema.
 */
export function useSchemaResolver<Schema extends $ZodType<FieldValues, FieldValues>>(
  load: () => Promise<Schema>,
): Resolver<input<Schema>, unknown, output<Schema>> {
  const t = useTranslations("common.fieldError");
  return useMemo(() => {
    const resolve: Resolver<input<Schema>, unknown, output<Schema>> = async (values, _context, options) => {
      try {
        const [{ checkSchema }, schema] = await Promise.all([import("./check-schema"), load()]);
        return checkSchema(schema, values, options, t);
      } catch {
        // Input and output have the same fields; the server validates the values.
        return { values: values as output<Schema>, errors: {} };
      }
    };
    return resolve;
  }, [load, t]);
}
