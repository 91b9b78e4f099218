import type { Catalogue } from "./catalogue";
import type { Locale as OurLocale } from "./locale";

declare module "use-intl" {
  /** Keys of `t(…)` are checked against the English catalogue. */
  interface AppConfig {
    Locale: OurLocale;
    Messages: Catalogue;
  }
}
