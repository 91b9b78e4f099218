import { FileJsonIcon } from "lucide-react";
import { GuideCards } from "@/components/api-docs/guide-list";
import { ReferenceLoader } from "@/components/api-docs/reference-loader";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { PageHeader } from "@/components/shell/page-header";
import { Button } from "@/components/ui/button";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale, servedOrigin } from "../../request";
import { requirePageSession } from "../guard";
import { exampleModels, GUIDES } from "./facts";

export const generateMetadata = () => pageTitle("apiDocs");

export default async function Page({ searchParams }: PageQuery) {
  await requirePageSession("/docs", await searchParams);
  const locale = await requestLocale();
  const { docs, guides } = messagesFor(locale, ["apiDocs", "guides"]);
  const [origin, models] = await Promise.all([servedOrigin(), exampleModels()]);
  return (
    <MessagesProvider messages={messagesFor(locale, ["apiDocs"])}>
      <div className="mx-auto max-w-page">
        <PageHeader
          title={docs.title}
          description={docs.lead}
          action={
            <Button asChild variant="outline">
              <a href="/openapi.json">
                <FileJsonIcon aria-hidden="true" />
                {docs.download}
              </a>
            </Button>
          }
        />
        <section aria-labelledby="guides" className="mb-10 grid grid-cols-1 gap-4">
          <Heading id="guides" title={docs.guides} text={docs.guidesText} />
          <GuideCards guides={GUIDES.map((name) => ({ name, ...guides[name] }))} />
        </section>
        <section aria-labelledby="addresses" className="grid grid-cols-1 gap-4">
          <Heading id="addresses" title={docs.reference} text={docs.referenceText} />
          <ReferenceLoader origin={origin} models={models} />
        </section>
      </div>
    </MessagesProvider>
  );
}

function Heading({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <div className="grid gap-0.5">
      <h2 id={id} className="scroll-mt-20 text-lg font-medium">
        {title}
      </h2>
      <p className="text-ink-muted">{text}</p>
    </div>
  );
}
