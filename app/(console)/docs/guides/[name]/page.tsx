import { ArrowLeftIcon } from "lucide-react";
import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { GuideMenu } from "@/components/api-docs/guide-list";
import { guideSamples } from "@/components/api-docs/guide-samples";
import { Markdown } from "@/components/api-docs/markdown";
import { MessagesProvider } from "@/components/shell/messages-provider";
import { PageHeader } from "@/components/shell/page-header";
import { messagesFor } from "@/lib/messages/catalogue";
import { requestLocale, servedOrigin } from "../../../../request";
import { requirePageSession } from "../../../guard";
import { exampleModels } from "../../../playground/usable-models";
import { GUIDES, type GuideName, readGuide, readGuides } from "../../read-guide";

interface GuideParams {
  params: Promise<{ name: string }>;
}

function guideNamed(name: string): GuideName {
  return GUIDES.find((one) => one === name) ?? notFound();
}

export async function generateMetadata({ params }: GuideParams): Promise<Metadata> {
  const { title } = await readGuide(await requestLocale(), guideNamed((await params).name));
  return { title };
}

export default async function Page({ params }: GuideParams) {
  const name = guideNamed((await params).name);
  await requirePageSession(`/docs/guides/${name}`);
  const locale = await requestLocale();
  const { apiDocs } = messagesFor(locale, ["apiDocs"]);
  const [guides, origin, models] = await Promise.all([readGuides(locale), servedOrigin(), exampleModels()]);
  const { title, lead, text } = guides.find((guide) => guide.name === name) ?? notFound();
  return (
    <MessagesProvider messagesLocale={locale} messages={{ apiDocs }}>
      <div className="mx-auto grid max-w-page gap-x-12 gap-y-4 lg:grid-cols-[minmax(0,1fr)_15rem]">
        <article className="min-w-0">
          <PageHeader title={title} description={lead.replaceAll("`", "")} />
          <Markdown
            text={text.replaceAll("{{origin}}", origin)}
            samples={guideSamples(origin, models)}
            codeLabel={apiDocs.code}
          />
        </article>
        <nav aria-label={apiDocs.guides} className="order-first lg:order-none">
          <Link
            href="/docs"
            className="inline-flex items-center gap-2 text-sm text-ink-muted hover:text-ink lg:mb-4 lg:px-3"
          >
            <ArrowLeftIcon aria-hidden="true" className="size-4" />
            {apiDocs.backToReference}
          </Link>
          <div className="hidden lg:block">
            <GuideMenu guides={guides} current={name} />
          </div>
        </nav>
      </div>
    </MessagesProvider>
  );
}
