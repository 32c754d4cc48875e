// SPDX-License-Identifier: Apache-2.0
// Sends a file to the server. XMLHttpRequest tells how far it is; fetch does not.
import { addressOf, ApiError, type Schemas } from "../../api/client";

export interface Sending {
  done: Promise<Schemas["Upload"]>; // rejected with an AbortError where it was cancelled
  cancel: () => void;
}

export function upload(name: string, file: Blob, onprogress: (sent: number) => void): Sending {
  const request = new XMLHttpRequest();
  const done = new Promise<Schemas["Upload"]>((resolve, reject) => {
    request.upload.addEventListener("progress", (event) => onprogress(event.loaded));
    request.addEventListener("load", () => {
      const text = request.responseText;
      if (request.status < 400) resolve(JSON.parse(text) as Schemas["Upload"]);
      else reject(new ApiError(request.status, text.trim() || request.statusText));
    });
    request.addEventListener("error", () => reject(new ApiError(0, "The connection was lost; nothing was kept. Send the file again.")));
    request.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    request.open("PUT", addressOf(`uploads/${encodeURIComponent(name)}`));
    request.send(file);
  });
  return { done, cancel: () => request.abort() };
}
