import { releaseUrl } from "./object-url";

/** Downloads `content` under a file name. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  releaseUrl(url);
}
