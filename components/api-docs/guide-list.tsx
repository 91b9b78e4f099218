import Link from "next/link";
import { cn } from "../ui/class-names";

interface GuideLink {
  name: string;
  title: string;
  lead: string;
}

export function GuideCards({ guides }: { guides: readonly GuideLink[] }) {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {guides.map(({ name, title, lead }) => (
        <li key={name} className="grid">
          <Link
            prefetch={false}
            href={`/docs/guides/${name}`}
            className="grid content-start gap-1 rounded-md border bg-panel p-4 transition-colors hover:bg-hover"
          >
            <span className="font-medium">{title}</span>
            <span className="text-sm text-ink-muted">{lead.replaceAll("`", "")}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

export function GuideMenu({ guides, current }: { guides: readonly GuideLink[]; current: string }) {
  return (
    <ul className="grid gap-0.5">
      {guides.map(({ name, title }) => (
        <li key={name}>
          <Link
            prefetch={false}
            href={`/docs/guides/${name}`}
            aria-current={name === current ? "page" : undefined}
            className={cn(
              "block rounded-md px-3 py-1.5 text-ink-muted transition-colors hover:bg-hover hover:text-ink",
              name === current && "bg-hover font-medium text-ink",
            )}
          >
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}
