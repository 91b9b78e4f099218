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
import { exampleModels, GUIDES, type GuideKey } from "../../facts";

interface Guide {
  params: Promise<{ name: string }>;
}

function keyOf(name: string): GuideKey {
  return GUIDES.find((one) => one === name) ?? notFound();
}

export async function generateMetadata({ params }: Guide): Promise<Metadata> {
  const { guides } = messagesFor(await requestLocale(), ["guides"]);
  const name = keyOf((await params).name);
  return { title: guides[name].title };
}

export default async function Page({ params }: Guide) {
  const name = keyOf((await params).name);
  await requirePageSession(`/docs/guides/${name}`);
  const locale = await requestLocale();
  const { docs, guides } = messagesFor(locale, ["apiDocs", "guides"]);
  const { title, lead, text } = guides[name];
  const origin = await servedOrigin();
  const samples = guideSamples(origin, await exampleModels());
  return (
    <MessagesProvider messages={messagesFor(locale, ["apiDocs"])}>
      <div className="mx-auto grid max-w-page gap-x-12 gap-y-4 lg:grid-cols-[minmax(0,1fr)_15rem]">
        <article className="min-w-0">
          <PageHeader title={title} description={lead.replaceAll("`", "")} />
          <Markdown text={text.replaceAll("{{origin}}", origin)} samples={samples} codeLabel={docs.code} />
        </article>
        <nav aria-label={docs.guides} className="order-first lg:order-none">
          <Link
            href="/docs"
            className="inline-flex items-center gap-2 text-sm text-ink-muted hover:text-ink lg:mb-4 lg:px-3"
          >
            <ArrowLeftIcon aria-hidden="true" className="size-4" />
            {docs.backToReference}
          </Link>
          <div className="hidden lg:block">
            <GuideMenu guides={GUIDES.map((one) => ({ name: one, ...guides[one] }))} current={name} />
          </div>
        </nav>
      </div>
    </MessagesProvider>
  );
}
