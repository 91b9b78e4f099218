import { SpeechPlayground } from "@/components/speech/speech-playground";
import { PageMessages } from "../../../page-messages";
import { pageTitle } from "../../../request";
import { requirePageSession } from "../../guard";
import { usableModels } from "../usable-models";

export const generateMetadata = () => pageTitle("speech");

export default async function SpeechPage() {
  const pageSession = await requirePageSession("/playground/speech");
  const { id, role } = pageSession.user;
  const models = await usableModels(pageSession, "speech");
  return (
    <PageMessages areas={["playground", "requests", "speech"]}>
      <SpeechPlayground userId={id} role={role} models={models} />
    </PageMessages>
  );
}
