/** A text file that grows. */
import { closeSync, openSync, writeSync } from "node:fs";

export function textFile(path: string): { readonly write: (text: string) => void; readonly close: () => void } {
  const file = openSync(path, "w");
  return {
    write: text => {
      const bytes = Buffer.from(text, "latin1");
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    },
    close: () => closeSync(file),
  };
}
