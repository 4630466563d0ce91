import {
  type EmittedDesign,
  type EmittedFile,
  type NameMap,
  simulationFiles,
  synthesisFiles,
} from "../../hdl-dsl/index.ts";

/** A file of a design; the path is its name in the design's folder. */
export interface DesignFile {
  readonly path: string;
  readonly text: string;
}

/** Folders of a black box's two files. */
const SYNTHESIS = "synthesis",
  SIMULATION = "simulation";

/**
 * A design as files: `<module>.v`, `<module>.v.map` and `<top>.names.json`. Of a black box, `synthesis/<box>.v` has the
 * ports and `simulation/<box>.v` stands in. @param sourceRoot from their folder to the project's
 */
export function filesOf(design: EmittedDesign, sourceRoot: string): DesignFile[] {
  const json = (x: unknown): string => `${JSON.stringify(x)}\n`;
  return [
    ...design.files.flatMap(f => [
      { path: f.name, text: f.text },
      ...(f.map === undefined ? [] : [{ path: `${f.name}.map`, text: json({ ...f.map, sourceRoot }) }]),
    ]),
    ...(design.boxes ?? []).flatMap(b => [
      { path: `${SYNTHESIS}/${b.declaration.name}`, text: b.declaration.text },
      { path: `${SIMULATION}/${b.standIn.name}`, text: b.standIn.text },
    ]),
    ...(design.names === undefined ? [] : [{ path: `${design.top}.names.json`, text: namesText(design.names) }]),
  ];
}

/**
 * File lists, one path a line, in dependency order: `<top>.synthesis.f` and `<top>.simulation.f`. Only the second has
 * the stand-ins of black boxes. @param placed where a path of `filesOf` lies, seen from the lists
 */
export function fileLists(design: EmittedDesign, placed = (path: string): string => path): DesignFile[] {
  const boxes = new Map(
    (design.boxes ?? []).flatMap(b => [[b.declaration, SYNTHESIS] as const, [b.standIn, SIMULATION]]),
  );
  const list = (purpose: string, files: readonly EmittedFile[]): DesignFile => ({
    path: `${design.top}.${purpose}.f`,
    text: files
      .map(f => {
        const folder = boxes.get(f);
        return `${placed(folder === undefined ? f.name : `${folder}/${f.name}`)}\n`;
      })
      .join(""),
  });
  return [list(SYNTHESIS, synthesisFiles(design)), list(SIMULATION, simulationFiles(design))];
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
