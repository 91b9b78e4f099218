import { createDispatcher } from "../../http/core/dispatch";
import { createNextDoor } from "../../http/next/adapter";
import { ROUTES } from "../../http/routes";
import { getContainer } from "./container";

const services = async () => (await getContainer()).services;

/** The Next door: every catch-all route file under `app/` hands its requests here, and the one table answers them. */
export const answerFromTable = createNextDoor(createDispatcher(ROUTES, services), services);
