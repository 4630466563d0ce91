import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findTool, type Tool, tools } from "../../scripts/setup/tools.mjs";

/** A tool as found on this machine; without `path` it is missing. */
export interface Inspected {
  readonly name: string;
  readonly use: string;
  readonly debian: string;
  readonly path?: string;
  readonly version?: string;
}

/** `5.006`, `14.0.6`, `0.23`: the first version number of what the program prints. */
export const versionIn = (text: string): string | undefined => /\d+(?:\.\d+)+/.exec(text)?.[0];

async function inspect(tool: Tool): Promise<Inspected> {
  const base = { name: tool.name, use: tool.use, debian: tool.debian },
    path = findTool(tool);
  if (path === undefined) return base;
  if (tool.version.length === 0) return { ...base, path, version: "found" };
  try {
    const { stdout, stderr } = await promisify(execFile)(path, tool.version, { timeout: 20_000 });
    return { ...base, path, version: versionIn(stdout) ?? versionIn(stderr) ?? "unknown" };
  } catch (e) {
    return { ...base, path, version: `does not run: ${(e as Error).message.split("\n")[0] ?? ""}` };
  }
}

/** Node, which runs this, and every native tool. */
export async function inspectTools(): Promise<readonly Inspected[]> {
  const node: Inspected = {
    name: "Node",
    use: "everything",
    debian: "nodejs",
    path: process.execPath,
    version: process.versions.node,
  };
  return [node, ...(await Promise.all(Object.values(tools).map(inspect)))];
}
