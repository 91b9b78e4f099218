import { listLocalVoices } from "../../../console/voices/list";
import {
  cancelInstallation,
  downloadVoice,
  removeVoice,
  uploadVoicePart,
  verifyVoice,
} from "../../../console/voices/manage";
import { MAX_PART_BYTES } from "../../../contracts/console/local-voices";
import { consoleRoute } from "../../core/route";

export const LOCAL_VOICES_ROUTES = [
  consoleRoute("GET /api/voices", {
    auth: "ownerSession",
    summary: "List the local voices, what is being installed and what can be",
    handle: async (ctx) => ({ data: await listLocalVoices(ctx) }),
  }),
  consoleRoute("POST /api/voices", {
    auth: "ownerSession",
    summary: "Start or continue the download of a voice of the catalogue",
    handle: (ctx, { body }) => downloadVoice(ctx, body.name),
  }),
  consoleRoute("DELETE /api/voices/{name}", {
    auth: "ownerSession",
    summary: "Delete a local voice, its channel and its model",
    handle: (ctx, { params }) => removeVoice(ctx, params.name),
  }),
  consoleRoute("DELETE /api/voices/{name}/installation", {
    auth: "ownerSession",
    summary: "Cancel the installation of a voice, or dismiss one that failed",
    handle: (ctx, { params }) => cancelInstallation(ctx, params.name),
  }),
  consoleRoute("POST /api/voices/{name}/upload", {
    auth: "ownerSession",
    maxBodyBytes: MAX_PART_BYTES,
    summary: "Upload an archive in parts, in order; the last one starts the installation",
    handle: async (ctx, { params, query, readBytes }) => ({
      data: await uploadVoicePart(ctx, params.name, query, readBytes),
    }),
  }),
  consoleRoute("POST /api/voices/{name}/verify", {
    auth: "ownerSession",
    summary: "Compare a voice's files with those installed and let it speak a sentence",
    handle: async (ctx, { params }) => ({ data: await verifyVoice(ctx, params.name) }),
  }),
];
