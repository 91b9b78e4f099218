import { answerFromTable } from "@/lib/server/process/next-routes";

export const dynamic = "force-dynamic";

export {
  answerFromTable as DELETE,
  answerFromTable as GET,
  answerFromTable as HEAD,
  answerFromTable as OPTIONS,
  answerFromTable as PATCH,
  answerFromTable as POST,
  answerFromTable as PUT,
};
