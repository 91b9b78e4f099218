import { FileJsonIcon } from "lucide-react";
import { GuideCards } from "@/components/api-docs/guide-list";
import { ReferenceLoader } from "@/components/api-docs/reference-loader";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { PageHeader } from "@/components/shell/page-header";
import { Button } from "@/components/ui/button";
import { messagesFor } from "@/lib/messages/catalogue";
import { type PageQuery, pageTitle, requestLocale, servedOrigin } from "../../request";
import { requirePageSession } from "../guard";
import { exampleModels } from "../playground/usable-models";
import { readGuides } from "./read-guide";

export const generateMetadata = () => pageTitle("apiDocs");

export default async function Page({ searchParams }: PageQuery) {
  await requirePageSession("/docs", await searchParams);
  const locale = await requestLocale();
  const { apiDocs } = messagesFor(locale, ["apiDocs"]);
  const [origin, models, guides] = await Promise.all([servedOrigin(), exampleModels(), readGuides(locale)]);
  return (
    <MessagesProvider messagesLocale={locale} messages={{ apiDocs }}>
      <div className="mx-auto max-w-page">
        <PageHeader
          title={apiDocs.title}
          description={apiDocs.lead}
          action={
            <Button asChild variant="outline">
              <a href="/openapi.json">
                <FileJsonIcon aria-hidden="true" />
                {apiDocs.download}
              </a>
            </Button>
          }
        />
        <section aria-labelledby="guides" className="mb-10 grid grid-cols-1 gap-4">
          <Heading id="guides" title={apiDocs.guides} text={apiDocs.guidesText} />
          <GuideCards guides={guides} />
        </section>
        <section aria-labelledby="endpoints" className="grid grid-cols-1 gap-4">
          <Heading id="endpoints" title={apiDocs.reference} text={apiDocs.referenceText} />
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
