import { fonts } from "./layout.ts";
import { colours } from "./marks.ts";
import { palette } from "./palette.ts";

const series = Array.from(
  { length: colours },
  (_, i) => `.line.c${i}{stroke:var(--c${i})}.mark.c${i},.bar.c${i}{fill:var(--c${i})}`,
).join("");
const text = ({ text: all, value }: (typeof fonts)[keyof typeof fonts]): string =>
  `svg text{font-size:${all}px}svg text.value{font-size:${value}px}`;

/** The report's style. No font, picture or script comes from elsewhere. */
export const style = `
${palette}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:.2em 0 .6em}h2{font-size:1.25rem;margin:0 0 .6em}h3{font-size:.95rem;margin:1.1em 0 .3em}
h2 .up{font-size:.85rem;font-weight:400;margin-left:.6em;white-space:nowrap}
section{border-top:1px solid var(--rule);padding-top:1.6rem;margin-top:2.4rem}
ul{margin:.4em 0;padding-left:1.4em}
a{color:var(--link)}
.badge{display:inline-block;font-size:.75rem;font-weight:600;line-height:1;padding:.3em .6em;border-radius:1em;border:1px solid currentColor;vertical-align:middle;white-space:nowrap}
.badge.predicted{color:var(--good)}.badge.calibrated{color:var(--amber)}.badge.not-modelled{color:var(--soft)}
blockquote{margin:.3em 0;padding:.1em 0 .1em .9em;border-left:3px solid var(--soft)}cite{color:var(--soft);font-style:normal;white-space:nowrap}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));gap:1rem;margin-top:1rem}
figure{margin:0;padding:.8rem;background:var(--box);border-radius:8px;min-width:0}figcaption{font-weight:600;margin-bottom:.4rem}
@media (min-width:60rem){.plots>figure:only-child{display:grid;grid-template-columns:minmax(0,36rem) minmax(0,1fr);column-gap:1.6rem;align-items:start}.plots>figure:only-child>figcaption{grid-column:1/-1}}
.drawing>svg{display:block;width:100%;max-width:620px;height:auto;margin:0 auto}
svg text{fill:var(--soft)}svg text.label,svg text.value,svg text.says{fill:var(--text)}svg text.says{paint-order:stroke;stroke:var(--box);stroke-width:4px}
${text(fonts.page)}
@media (max-width:30rem){${text(fonts.phone)}}
.grid{stroke:var(--rule);stroke-width:1}.axis,.tick,.reference{stroke:var(--soft);stroke-width:1;fill:none}.reference{stroke:var(--text)}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.frame{stroke-width:1.8}
${series}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.5rem 0;padding:0;font-size:.85rem}.key li{display:flex;align-items:center;gap:.4rem}.key svg{flex:none}
details{font-size:.85rem}summary{cursor:pointer;color:var(--soft)}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.4rem 0;font-size:.85rem}th,td{padding:.25em .8em;border-bottom:1px solid var(--rule);text-align:right;font-variant-numeric:tabular-nums}
figure th,figure td{padding:.25em .45em}thead th{vertical-align:bottom;color:var(--soft);font-weight:600}tbody th{font-weight:400}figure tbody th{white-space:nowrap}th:first-child,.text{text-align:left}
thead tr+tr th:first-child{text-align:right}th.of{text-align:center}figure tbody th,figure thead tr:first-child th:first-child{position:sticky;left:0;background:var(--box)}
@media (max-width:30rem){th,td{padding:.25em .4em}.contents td,.contents th{padding:.4em .3em}}
figure .wide{background:linear-gradient(to left,var(--box) 1rem,transparent) right/2rem 100% no-repeat local,linear-gradient(to left,var(--rule),transparent) right/.8rem 100% no-repeat scroll}
.verdicts{list-style:none;padding:0}.verdicts li{margin:.25em 0}.holds b{color:var(--good)}.fails b{color:var(--bad)}.found{color:var(--soft)}.found::before{content:"· "}
@media print{html{font-size:12px}body{font-size:12px}main{max-width:none;padding:0}figure,tr,.said,li,.contents{break-inside:avoid}h2,h3,.said{break-after:avoid}h2 .up{display:none}a{color:inherit;text-decoration:none}
.plots{grid-template-columns:1fr 1fr}.plots>figure:only-child{grid-column:1/-1;display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);column-gap:1rem;align-items:start}.plots>figure:only-child>figcaption{grid-column:1/-1}
.wide{overflow:visible}figure{border:1px solid var(--rule)}figure .wide{background:none}summary{display:none}section{margin-top:1.2rem;padding-top:.8rem}}
`.trim();
