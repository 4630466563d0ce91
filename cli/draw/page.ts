import type { Part, Structure } from "../../hdl-dsl/index.ts";
import { layoutOf } from "./layout.ts";
import { drawingStyle, escaped, svgOfLayout } from "./svg.ts";

/** The modules that have an instance of this one, with the names of these. */
const above = (name: string, all: readonly Structure[]): readonly Structure[] =>
  all.filter(s => s.parts.some(p => p.module === name));

const style = `:root{color-scheme:light dark}body{margin:0;font-family:sans-serif;background:#fff;color:#111}
header{padding:.6rem 1rem;border-bottom:1px solid #8885}h1{font-size:1.1rem;margin:0;overflow-wrap:anywhere}
nav{font-size:.85rem;margin-top:.3rem;overflow-wrap:anywhere}nav a,h1 a{color:inherit}
section{display:none}section:target,body:not(:has(section:target)) section:first-of-type{display:block}
.drawing{overflow:auto;padding:.5rem}.drawing svg{display:block}
@media (prefers-color-scheme:dark){body{background:#14171b;color:#e6e6e6}}`;

/** One module of the page: its way up, its drawing. */
async function section(s: Structure, all: readonly Structure[]): Promise<string> {
  const known = new Set(all.map(x => x.name)),
    address = (p: Part): string | undefined =>
      p.module !== undefined && known.has(p.module) ? `#${p.module}` : undefined;
  const up = above(s.name, all).map(x => `<a href="#${escaped(x.name)}">${escaped(x.name)}</a>`);
  const drawing = svgOfLayout(s.name, await layoutOf(s), { address, style: false });
  // Arrow heads are found by their name in the whole page, and nothing is drawn of those in hidden parts.
  const own = drawing.replaceAll(/(id="|url\(#)(stream|value)-end/g, `$1${s.name}-$2-end`);
  return `<section id="${escaped(s.name)}"><header><h1>${escaped(s.name)}</h1><nav>${
    up.length === 0 ? `${all.length} modules; a click on a box opens it` : `in ${up.join(", ")}`
  }</nav></header><div class="drawing">${own}</div></section>`;
}

/**
 * A page of a design's modules, the first of `all` to begin with: a click on a box opens its module, and the way back
 * up stands above. It runs without a network and without scripts.
 */
export async function drawingPage(all: readonly Structure[]): Promise<string> {
  const sections: string[] = [];
  for (const s of all) sections.push(await section(s, all));
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(all[0]?.name ?? "")}</title><style>${style}
${drawingStyle}</style>
${sections.join("\n")}
</html>
`;
}
