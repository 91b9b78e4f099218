import { answerNextAuth } from "@/lib/server/process/next-auth";

export const dynamic = "force-dynamic";

// Unsupported methods get the console API's 405 response.
export {
  answerNextAuth as DELETE,
  answerNextAuth as GET,
  answerNextAuth as PATCH,
  answerNextAuth as POST,
  answerNextAuth as PUT,
};
