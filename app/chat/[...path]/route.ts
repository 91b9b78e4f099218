import { nextHandlers } from "@/lib/server/process/next-routes";

export const dynamic = "force-dynamic";
export const { DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT } = nextHandlers("/chat/*");
