/** Files of a page: texts by their names. */
const texts = new Map<string, string[]>();

interface TextFile {
  readonly write: (text: string) => void;
  readonly close: () => void;
  readonly chunk: number;
}

/** What is written can be taken at once. */
export function textFile(path: string): TextFile {
  const parts: string[] = [];
  texts.set(path, parts);
  return {
    write: text => {
      parts.push(text);
    },
    close: () => undefined,
    chunk: 1,
  };
}

/** Takes what was written under a name since it was taken last. */
export const takeText = (path: string): string => (texts.get(path)?.splice(0) ?? []).join("");
