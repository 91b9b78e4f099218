import { NotFoundContent, NotFoundPage } from "@/components/shell/message-page";
import { getPageSession } from "@/lib/server/process/page-session";
import { pageTitleOf } from "../request";

export const generateMetadata = () => pageTitleOf("common", (messages) => messages.error.notFoundTitle);

/** Without a session there is no shell around the page (layout.tsx). */
export default async function NotFound() {
  return (await getPageSession()) ? <NotFoundContent /> : <NotFoundPage />;
}
