import { NotFoundPage } from "@/components/shell/message-page";
import { pageTitleOf } from "./request";

export const generateMetadata = () => pageTitleOf("common", (messages) => messages.error.notFoundTitle);

export default NotFoundPage;
