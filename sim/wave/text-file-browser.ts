/** Files of a page: texts by their names. */
const texts = new Map<string, string[]>();

export function textFile(path: string): { readonly write: (text: string) => void; readonly close: () => void } {
  const parts: string[] = [];
  texts.set(path, parts);
  return {
    write: text => {
      parts.push(text);
    },
    close: () => undefined,
  };
}

/** Takes what was written under a name away. */
export function takeText(path: string): string {
  const parts = texts.get(path) ?? [];
  texts.delete(path);
  return parts.join("");
}
