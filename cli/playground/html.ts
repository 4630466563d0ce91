import { drawingStyle } from "../draw/svg.ts";

const style = `:root{color-scheme:light dark;--ground:#fff;--ink:#111;--line:#8885;--soft:#f3f5f8;--good:#17692f;--bad:#b3261e;--on:#ffe9a8}
@media (prefers-color-scheme:dark){:root{--ground:#14171b;--ink:#e6e6e6;--soft:#1d2127;--good:#6fcf8a;--bad:#ff8a80;--on:#57470f}}
*{box-sizing:border-box}[hidden]{display:none!important}
body{margin:0;font:15px/1.45 sans-serif;background:var(--ground);color:var(--ink)}
header{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;padding:.5rem 1rem;border-bottom:1px solid var(--line)}
h1{font-size:1.1rem;margin:0}h3{font-size:.9rem;margin:.6rem 0 .2rem}
button,select,input{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:.3rem .6rem;max-width:100%}
button{cursor:pointer}button:disabled{opacity:.5;cursor:default}[aria-selected=true]{border-color:currentColor;font-weight:bold}
.bar{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;padding:.5rem 0}
main{padding:0 1rem 1rem}.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1rem}
@media (max-width:800px){.two{grid-template-columns:minmax(0,1fr)}}
#editor .cm-editor{height:60vh;border:1px solid var(--line)}#editor .cm-content{font-size:13px}
.panel{height:60vh;overflow:auto;border:1px solid var(--line);padding:.5rem}
@media (max-width:800px){#editor .cm-editor{height:45vh}.panel{height:50vh}}
pre{margin:0;font-size:12.5px;white-space:pre-wrap;overflow-wrap:anywhere}.linked{cursor:pointer}.linked:hover,.linked.on{background:var(--on)}
.problem{display:block;width:100%;text-align:left;color:var(--bad);margin:.3rem 0;overflow-wrap:anywhere}
.good{color:var(--good)}.bad{color:var(--bad)}.waves .drawing{overflow:auto;background:#fff}.waves input{width:100%}
#blocks{overflow:auto;border:1px solid var(--line);max-height:70vh}#blocks path.moved{stroke:#e8590c;stroke-width:4}
#range{width:100%}#text{min-width:8rem}table{border-collapse:collapse;font-size:13px}td{padding:.1rem .6rem;border-bottom:1px solid var(--line)}tr.new{font-weight:bold}
#frame{width:100%;font:12.5px monospace;color:inherit;background:var(--soft);border:1px solid var(--line)}#answer{white-space:pre-wrap;overflow-wrap:anywhere;min-height:1.5em}ul{font-size:13px;padding-left:1.2rem;margin:.3rem 0}`;

/** The page, which loads the scripts beside it and nothing else. */
export const playgroundHtml = (): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>Mnemosyne playground</title><style>${style}
#schematic,#blocks{${drawingStyle}}</style></head><body>
<header><h1>Mnemosyne</h1><div id="pages" role="tablist" data-tabs class="bar"><button value="write" aria-selected="true">Write a module</button><button value="node" aria-selected="false">The memory node</button></div></header>
<main>
<section id="write">
<div class="bar"><label>Example <select id="example"></select></label> <label>Module to emit <input id="show" spellcheck="false"></label></div>
<div class="two"><div><div id="editor"></div><div id="problems" role="status"></div></div>
<div><div id="results" role="tablist" data-tabs class="bar"><button value="verilog" aria-selected="true">Verilog</button><button value="schematic" aria-selected="false">Schematic</button><button value="bench" aria-selected="false">Bench and waves</button></div>
<div id="verilog" class="panel"></div><div id="schematic" class="panel" hidden></div>
<div id="bench" class="panel" hidden><button id="run">Run the benches</button><div id="benches"></div></div></div></div>
</section>
<section id="node" hidden>
<p>The whole memory node with its DRAM, slow path and one client, cycle by cycle. Its clock stands still between two requests.</p>
<div class="bar" id="operations"></div>
<div class="bar"><label>Offset <input id="offset" type="number" min="0" max="4194296" step="8" value="0"></label> <label>Text <input id="text" value="hello, far memory"></label></div>
<details><summary>A frame of your own</summary><p><label for="frame">Bytes from the destination MAC on, two hexadecimal digits each; FRAME sends them. It begins with a ping.</label></p><textarea id="frame" rows="6" spellcheck="false"></textarea></details>
<p id="answer" role="status"></p>
<label><span id="until"></span><input type="range" id="range" min="0" max="0" value="0"></label>
<div id="blocks"></div>
<div class="two"><div><h3>Streams that moved</h3><ul id="moved"></ul></div><div><h3>Counters</h3><table><tbody id="counters"></tbody></table></div></div>
</section>
</main>
<script src="map.js"></script><script src="examples.js"></script><script src="playground.js"></script>
</body></html>
`;
