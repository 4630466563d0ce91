/** Colours of the series (Okabe and Ito's, which most colour-blind people tell apart), light and dark. */
const light = ["#0072b2", "#d55e00", "#009e73", "#b3468c", "#8a6d00", "#3a8fc7", "#555555", "#7a4fbf"];
const dark = ["#56b4e9", "#ff9a4d", "#2fc79a", "#e58fc4", "#e6c84d", "#8ec9f0", "#b5b5b5", "#b79cf0"];
const colours = (all: readonly string[]): string => all.map((c, i) => `--c${i}:${c};`).join("");

/** The report's style. No font, picture or script comes from elsewhere. */
export const style = `
:root{color-scheme:light dark;--text:#1b1f24;--soft:#57606a;--page:#fff;--box:#f5f6f8;--rule:#d5d9de;--good:#1a7f37;--bad:#c0262d;--amber:#8a5a00;${colours(light)}}
@media (prefers-color-scheme:dark){:root{--text:#e4e8ec;--soft:#a0a8b2;--page:#14171b;--box:#1d2127;--rule:#363c44;--good:#4cc26b;--bad:#ff7b72;--amber:#e0b050;${colours(dark)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:.2em 0 .6em}h2{font-size:1.25rem;margin:0 0 .6em}h3{font-size:.95rem;margin:1.1em 0 .3em}
section{border-top:1px solid var(--rule);padding-top:1.6rem;margin-top:2.4rem}
a{color:var(--c0)}
.badge{display:inline-block;font-size:.75rem;font-weight:600;line-height:1;padding:.3em .6em;border-radius:1em;border:1px solid currentColor;vertical-align:middle;white-space:nowrap}
.badge.predicted{color:var(--good)}.badge.calibrated{color:var(--amber)}.badge.not-modelled{color:var(--soft)}
blockquote{margin:.3em 0;padding:.1em 0 .1em .9em;border-left:3px solid var(--rule)}cite{color:var(--soft);font-style:normal;white-space:nowrap}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr));gap:1rem;margin-top:1rem}
figure{margin:0;padding:.8rem;background:var(--box);border-radius:8px;min-width:0}figcaption{font-weight:600;margin-bottom:.4rem}
figure>svg{display:block;width:100%;max-width:760px;height:auto;margin:0 auto}
svg text{fill:var(--soft);font-size:12px}svg text.label{fill:var(--text);font-size:13px}svg text.value{font-size:11px;fill:var(--text)}
.grid{stroke:var(--rule);stroke-width:1}.axis,.tick{stroke:var(--soft);stroke-width:1;fill:none}.line{fill:none;stroke-width:2;stroke-linejoin:round}
${light.map((_, i) => `.line.c${i}{stroke:var(--c${i})}.mark.c${i},.bar.c${i}{fill:var(--c${i})}`).join("")}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;margin:.5rem 0;padding:0;font-size:.85rem}.key li{display:flex;align-items:center;gap:.4rem}
details{font-size:.85rem}summary{cursor:pointer;color:var(--soft)}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.4rem 0;font-size:.85rem}th,td{padding:.25em .8em;border-bottom:1px solid var(--rule);text-align:right;font-variant-numeric:tabular-nums}
figure th,figure td{padding:.25em .45em}thead th{vertical-align:bottom;color:var(--soft);font-weight:600}tbody th{font-weight:400;white-space:nowrap}th:first-child,.text{text-align:left}
.verdicts{list-style:none;padding:0}.verdicts li{margin:.25em 0}.holds b{color:var(--good)}.fails b{color:var(--bad)}.found{color:var(--soft)}.found::before{content:"· "}
`.trim();
