import { answerNextAuth } from "@/lib/server/next-auth";

export const dynamic = "force-dynamic";

export { answerNextAuth as GET, answerNextAuth as POST };
