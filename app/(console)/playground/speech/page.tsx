import { MessagesProvider } from "@/components/shell/messages-provider";
import { SpeechPlayground } from "@/components/speech/speech-playground";
import { messagesFor } from "@/lib/messages/catalogue";
import { pageTitle, requestLocale } from "../../../request";
import { requirePageSession } from "../../guard";
import { usableModels } from "../usable-models";

export const generateMetadata = () => pageTitle("speech");

export default async function SpeechPage() {
  const pageSession = await requirePageSession("/playground/speech");
  const [locale, models] = await Promise.all([requestLocale(), usableModels(pageSession, "speech")]);
  return (
    <MessagesProvider messages={messagesFor(locale, ["playground", "requests", "speech"])}>
      <SpeechPlayground userId={pageSession.user.id} models={models} />
    </MessagesProvider>
  );
}
