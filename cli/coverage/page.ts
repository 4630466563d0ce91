/** Coverage as a page that needs nothing beside it: the table, then each source file with its marks. */
import { byFile, missed, missing, type Reached, SORTS } from "../../sim/index.ts";
import { escape } from "../figures/report/format.ts";
import { pairs, sourceLines } from "./report.ts";

const STYLE = `
:root { color-scheme: light dark; --miss: #ffd9d6; --hit: #dbf5dc; --part: #fff3c4; --line: #8886; }
@media (prefers-color-scheme: dark) { :root { --miss: #5b1f1b; --hit: #173d1a; --part: #4d4013; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1.5rem auto; max-width: 75rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
pre { font: 13px/1.5 ui-monospace, monospace; overflow-x: auto; margin: 0; padding: 0.5rem 0; }
pre span { display: block; padding: 0 0.5rem; min-width: max-content; }
.hit { background: var(--hit); } .miss { background: var(--miss); } .part { background: var(--part); }
.why { opacity: 0.75; font-style: italic; }
summary { cursor: pointer; padding: 0.4rem 0; }
`;

/** The class of a line and what is missing there. */
interface Mark {
  reached: number;
  all: number;
  readonly why: string[];
}

function marksOf(points: readonly Reached[]): ReadonlyMap<number, Mark> {
  const marks = new Map<number, Mark>();
  const at = (line: number): Mark => {
    let m = marks.get(line);
    if (m === undefined) marks.set(line, (m = { reached: 0, all: 0, why: [] }));
    return m;
  };
  for (const p of points) {
    for (const line of p.kind === "line" ? p.lines : [p.line]) {
      const m = at(line);
      m.all++;
      if (!missed(p)) m.reached++;
    }
    if (missed(p)) at(p.line).why.push(missing(p));
  }
  return marks;
}

function listing(points: readonly Reached[], file: string, root: string): string {
  const marks = marksOf(points),
    lines = sourceLines(root, file),
    digits = String(lines.length).length;
  return lines
    .map((text, i) => {
      const m = marks.get(i + 1),
        sort = m === undefined ? "" : m.reached === m.all ? "hit" : m.reached === 0 ? "miss" : "part",
        why = m === undefined || m.why.length === 0 ? "" : `  <i class="why">${escape(m.why.join("; "))}</i>`;
      return `<span${sort === "" ? "" : ` class="${sort}"`}>${String(i + 1).padStart(digits)}  ${escape(text)}${why}</span>`;
    })
    .join("");
}

/** A page of all files, those with the most missing lines first opened. */
export function coveragePage(points: readonly Reached[], root: string, title: string): string {
  const files = [...byFile(points)].filter(([file]) => file !== "");
  const row = (name: string, of: readonly Reached[]): string =>
    `<tr>${[name, ...pairs(of).flat()].map(cell => `<td>${cell}</td>`).join("")}</tr>`;
  const link = (file: string): string => `<a href="#${encodeURIComponent(file)}">${escape(file)}</a>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title><style>${STYLE}</style></head><body>
<h1>${escape(title)}</h1>
<div class="wide"><table><thead><tr><th>file</th>${SORTS.map(s => `<th colspan="2">${s}</th>`).join("")}</tr></thead><tbody>
${files.map(([file, of]) => row(link(file), of)).join("\n")}
${row("all", points)}
</tbody></table></div>
${files
  .map(
    ([file, of]) =>
      `<details id="${escape(encodeURIComponent(file))}"${of.some(missed) ? " open" : ""}><summary>${escape(file)}</summary><pre>${listing(of, file, root)}</pre></details>`,
  )
  .join("\n")}
</body></html>
`;
}
