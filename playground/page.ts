/// <reference lib="dom" />
/** The page itself: editor, results, and the node. */
import { basicSetup, EditorView } from "codemirror";
import { javascript } from "@codemirror/lang-javascript";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { oneDark } from "@codemirror/theme-one-dark";
import wavedrom from "wavedrom";
import { load, type Outcome, type Problem } from "./program.ts";
import { type Operation, operations, type RunningNode, startNode, type Step } from "./node.ts";

interface Example {
  readonly title: string;
  readonly file: string;
  readonly show: string;
}
interface Given {
  readonly examples: readonly Example[];
  readonly texts: Readonly<Record<string, string>>;
}
const given = (globalThis as unknown as { readonly mnemosynePage: Given }).mnemosynePage;

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}
function made<K extends keyof HTMLElementTagNameMap>(name: K, text = "", style = ""): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  e.textContent = text;
  if (style !== "") e.className = style;
  return e;
}
const dark = matchMedia("(prefers-color-scheme: dark)").matches;

// Tabs: a row of buttons, each with its panel.
for (const row of document.querySelectorAll<HTMLElement>("[data-tabs]")) {
  const buttons = [...row.querySelectorAll("button")];
  const open = (name: string): void => {
    for (const b of buttons) {
      const on = b.value === name;
      b.setAttribute("aria-selected", String(on));
      element(b.value, HTMLElement).hidden = !on;
    }
    if (name === "node") void node();
  };
  for (const b of buttons) b.onclick = () => open(b.value);
  row.addEventListener("open", e => open(String((e as CustomEvent).detail)));
}
const openTab = (tabs: string, name: string): void => {
  element(tabs, HTMLElement).dispatchEvent(new CustomEvent("open", { detail: name }));
};

// The editor.
const main = { file: "", texts: new Map<string, string>(Object.entries(given.texts)) };
let typing = 0;
const editor = new EditorView({
  parent: element("editor", HTMLElement),
  state: EditorState.create({
    extensions: [
      basicSetup,
      javascript({ typescript: true }),
      lintGutter(),
      EditorView.lineWrapping,
      ...(dark ? [oneDark] : []),
      EditorView.updateListener.of(u => {
        if (!u.docChanged) return;
        clearTimeout(typing);
        typing = window.setTimeout(() => void build(), 400);
      }),
    ],
  }),
});
const show = element("show", HTMLInputElement);
show.onchange = () => void build();

function openExample(e: Example): void {
  main.file = e.file;
  show.value = e.show;
  editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: main.texts.get(e.file) ?? "" } });
  clearTimeout(typing);
  void build();
}

/** The text between two places of a problem: the word that begins there. */
function mark(p: Problem): { from: number; to: number; severity: "error"; message: string } {
  const { doc } = editor.state,
    line = doc.line(Math.min(Math.max(1, p.line), doc.lines)),
    // Columns of a running script count types out: the line is sure, the column is not.
    from = line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0);
  return { from, to: Math.max(from, line.to), severity: "error", message: p.message };
}

let outcome: Outcome | undefined,
  builds = 0;
async function build(): Promise<void> {
  const mine = ++builds,
    texts = new Map(main.texts).set(main.file, editor.state.doc.toString());
  const o = await load({ texts, main: main.file, show: show.value });
  if (mine !== builds) return;
  outcome = o;
  const own = o.problems.filter(p => p.file === main.file);
  editor.dispatch(setDiagnostics(editor.state, own.map(mark)));
  element("problems", HTMLElement).replaceChildren(
    ...o.problems.map(p => {
      const b = made("button", `${p.file}:${p.line}: ${p.message}`, "problem");
      b.onclick = () => goTo(p.line);
      return b;
    }),
  );
  showVerilog(o);
  const drawing = element("schematic", HTMLElement);
  drawing.innerHTML = o.drawing;
  element("benches", HTMLElement).replaceChildren(
    ...(o.benches.length === 0
      ? [made("p", "This file has no bench. Examples that end in .test.ts have some.")]
      : o.benches.map(b => made("p", b))),
  );
  element("run", HTMLButtonElement).disabled = o.benches.length === 0;
}

function goTo(line: number): void {
  const at = editor.state.doc.line(Math.min(line, editor.state.doc.lines));
  editor.dispatch({
    selection: { anchor: at.from, head: at.to },
    effects: EditorView.scrollIntoView(at.from, { y: "center" }),
  });
  editor.focus();
}

function showVerilog(o: Outcome): void {
  element("verilog", HTMLElement).replaceChildren(
    ...o.verilog.flatMap(f => {
      const block = made("pre");
      f.text.split("\n").forEach((text, i) => {
        const from = (f.lines.get(i + 1) ?? []).filter(p => p.file === main.file),
          line = made("span", `${text}\n`, from.length > 0 ? "linked" : "");
        if (from.length > 0) {
          line.title = `${main.file}: ${from.map(p => p.line).join(", ")}`;
          line.dataset["lines"] = from.map(p => p.line).join(" ");
          line.onclick = () => goTo(from[0]?.line ?? 1);
        }
        block.append(line);
      });
      return [made("h3", f.name), block];
    }),
  );
}
// The line of the editor that the pointer or the cursor is on shows its Verilog.
editor.dom.addEventListener("click", () => {
  const at = editor.state.doc.lineAt(editor.state.selection.main.head).number;
  let first: Element | undefined;
  for (const s of document.querySelectorAll<HTMLElement>("#verilog .linked")) {
    const on = (s.dataset["lines"] ?? "").split(" ").includes(String(at));
    s.classList.toggle("on", on);
    if (on) first ??= s;
  }
  first?.scrollIntoView({ block: "nearest" });
});

// Benches and waves.
element("run", HTMLButtonElement).onclick = async () => {
  const list = element("benches", HTMLElement);
  list.replaceChildren(made("p", "running ..."));
  const results = (await outcome?.runBenches()) ?? [];
  list.replaceChildren(
    ...results.flatMap(r => {
      const head = made(
        "p",
        `${r.failure === undefined ? "passed" : "FAILED"}: ${r.name} (${r.cycles} cycles, ${Math.round(r.milliseconds)} ms)`,
        r.failure === undefined ? "good" : "bad",
      );
      return [
        head,
        ...(r.failure === undefined ? [] : [made("pre", r.failure)]),
        ...(r.lanes === undefined ? [] : [waves(r.lanes, r.cycles)]),
      ];
    }),
  );
};
function waves(lanes: (from: number, cycles: number) => object, cycles: number): HTMLElement {
  const box = made("div", "", "waves"),
    drawing = made("div", "", "drawing"),
    at = made("input");
  const width = 24;
  at.type = "range";
  at.min = "0";
  at.max = String(Math.max(0, cycles - width));
  at.value = "0";
  at.ariaLabel = "first cycle of the wave";
  const draw = (): void => {
    drawing.innerHTML = wavedrom.onml.stringify(
      wavedrom.renderAny(0, lanes(Number(at.value), Math.min(width, cycles)), wavedrom.waveSkin),
    );
  };
  at.oninput = draw;
  draw();
  box.append(...(cycles > width ? [at] : []), drawing);
  return box;
}

// The node.
let running: Promise<RunningNode> | undefined;
const say = (text: string): void => {
  element("answer", HTMLElement).textContent = text;
};
async function node(): Promise<RunningNode> {
  if (running !== undefined) return running;
  say("elaborating and compiling the node ...");
  // The page shows the sentence first.
  await new Promise(r => setTimeout(r, 50));
  const begun = performance.now();
  running = startNode();
  const n = await running;
  element("blocks", HTMLElement).innerHTML = n.drawing;
  const frame = element("frame", HTMLTextAreaElement);
  if (frame.value === "") frame.value = n.firstFrame;
  say(`the node runs (ready in ${((performance.now() - begun) / 1000).toFixed(1)} s); begin with CREATE_PROC`);
  for (const b of document.querySelectorAll<HTMLButtonElement>("#operations button")) b.disabled = false;
  return n;
}
element("operations", HTMLElement).append(
  ...operations.map(o => {
    const b = made("button", o);
    b.disabled = true;
    b.onclick = () => void operate(o);
    return b;
  }),
);
async function operate(o: Operation): Promise<Step> {
  const n = await node(),
    buttons = [...document.querySelectorAll<HTMLButtonElement>("#operations button")];
  for (const b of buttons) b.disabled = true;
  const step = await n.run(o, {
    offset: Number(element("offset", HTMLInputElement).value),
    text: element("text", HTMLInputElement).value,
    frame: element("frame", HTMLTextAreaElement).value,
  });
  for (const b of buttons) b.disabled = false;
  say(`${o}: ${step.answer} (${step.to - step.from} cycles with what follows, cycle ${step.from} to ${step.to})`);
  const range = element("range", HTMLInputElement),
    moved = [...step.moved].sort((a, b) => a.first - b.first);
  const last = Math.max(step.from, ...moved.map(m => m.last));
  range.min = String(step.from);
  range.max = String(last);
  range.value = range.max;
  const paths = [...document.querySelectorAll<SVGPathElement>("#blocks path[data-wire]")];
  const light = (): void => {
    const upTo = Number(range.value);
    element("until", HTMLElement).textContent = `up to cycle ${upTo}, ${upTo - step.from} after the request was sent`;
    const on = new Set(moved.filter(m => m.first <= upTo).map(m => String(m.wire)));
    for (const p of paths) p.classList.toggle("moved", on.has(p.dataset["wire"] ?? ""));
  };
  range.oninput = light;
  light();
  element("moved", HTMLElement).replaceChildren(
    ...moved.map(m =>
      made(
        "li",
        `${m.name}: ${m.transfers} transfer${m.transfers === 1 ? "" : "s"}, cycles ${m.first - step.from} to ${m.last - step.from}`,
      ),
    ),
  );
  element("counters", HTMLElement).replaceChildren(
    ...step.counters.map(c => {
      const row = made("tr", "", c.added > 0 ? "new" : "");
      row.title = c.doc;
      row.append(made("td", c.name), made("td", String(c.value)), made("td", c.added > 0 ? `+${c.added}` : ""));
      return row;
    }),
  );
  return step;
}

// Examples.
const choice = element("example", HTMLSelectElement);
choice.append(...given.examples.map((e, i) => Object.assign(made("option", e.title), { value: String(i) })));
choice.onchange = () => {
  const e = given.examples[Number(choice.value)];
  if (e !== undefined) openExample(e);
};
const asked = given.examples.findIndex(e => location.hash === `#${e.file}`);
choice.value = String(Math.max(0, asked));
if (location.hash === "#node") openTab("pages", "node");
const first = given.examples[Math.max(0, asked)];
if (first !== undefined) openExample(first);

/** For tests of the page in a browser. */
Object.assign(globalThis, { playground: { build, editor, operate, goTo } });
