import type { EmittedDesign, NameMap } from "../../hdl-dsl/index.ts";

/** A file of a design; the path is its name in the design's folder. */
export interface DesignFile {
  readonly path: string;
  readonly text: string;
}

/**
 * A design as files: `<module>.v`, `<module>.v.map` and `<top>.names.json`. @param sourceRoot from their folder
 * to the project's
 */
export function filesOf(design: EmittedDesign, sourceRoot: string): DesignFile[] {
  const json = (x: unknown): string => `${JSON.stringify(x)}\n`;
  return [
    ...design.files.flatMap(f => [
      { path: f.name, text: f.text },
      ...(f.map === undefined ? [] : [{ path: `${f.name}.map`, text: json({ ...f.map, sourceRoot }) }]),
    ]),
    ...(design.names === undefined ? [] : [{ path: `${design.top}.names.json`, text: namesText(design.names) }]),
  ];
}

/** One line for each signal, so that differences show line by line. */
function namesText(names: NameMap): string {
  const list = (what: string, all: readonly unknown[]): string =>
    all.length === 0 ? `"${what}":[]` : `"${what}":[\n${all.map(x => JSON.stringify(x)).join(",\n")}]`;
  const modules = Object.entries(names.modules).map(
    ([name, m]) =>
      `${JSON.stringify(name)}:{${m.source === undefined ? "" : `"source":${JSON.stringify(m.source)},`}${list("signals", m.signals)},${list("memories", m.memories)},${list("instances", m.instances)}}`,
  );
  return `{"top":${JSON.stringify(names.top)},"modules":{\n${modules.join(",\n")}\n}}\n`;
}
