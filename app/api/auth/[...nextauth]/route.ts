import { answerNextAuth } from "@/lib/server/process/next-auth";

export const dynamic = "force-dynamic";

// Methods that nothing takes are told so in the console's own form.
export {
  answerNextAuth as DELETE,
  answerNextAuth as GET,
  answerNextAuth as PATCH,
  answerNextAuth as POST,
  answerNextAuth as PUT,
};
