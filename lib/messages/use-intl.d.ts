import type { Catalogue } from "./catalogue";
import type { Locale as OurLocale } from "./locale";

declare module "use-intl" {
  /** Checks the keys of `t(…)` against the catalogue's type. */
  interface AppConfig {
    Locale: OurLocale;
    Messages: Catalogue;
  }
}
