/** Modules of a file. */
import { Cursor } from "./cursor.ts";
import { joinedLanes } from "./lanes.ts";
import { expression } from "./parse-expression.ts";
import { lvalue, statement } from "./parse-statement.ts";
import type {
  Always,
  Declaration,
  Event,
  Expression,
  InstanceOf,
  Module,
  Parameter,
  Range,
  Statement,
} from "./syntax.ts";
import { tokensOf } from "./tokens.ts";
import type { Place } from "./unreadable.ts";

export function modulesOf(file: string, text: string): Module[] {
  const c = new Cursor(file, tokensOf(file, text)),
    all: Module[] = [];
  while (c.next.kind !== "end") {
    c.dotted.clear();
    const at = c.place;
    c.need("module");
    all.push(new ModuleParser(c, at).run());
  }
  return all;
}

class ModuleParser {
  readonly #c: Cursor;
  readonly #at: Place;
  readonly #parameters: Parameter[] = [];
  readonly #declarations: Declaration[] = [];
  readonly #assigns: { target: Expression; value: Expression; at: Place }[] = [];
  readonly #always: Always[] = [];
  readonly #initials: Statement[] = [];
  readonly #instances: InstanceOf[] = [];

  constructor(c: Cursor, at: Place) {
    this.#c = c;
    this.#at = at;
  }

  run(): Module {
    const c = this.#c,
      name = c.name();
    if (c.takes("#")) {
      c.need("(");
      c.list(")", () => {
        c.takes("parameter");
        this.#parameter(false);
      });
    }
    if (c.takes("(")) this.#ports();
    c.need(";");
    while (!c.takes("endmodule")) this.#item();
    return {
      name,
      parameters: this.#parameters,
      declarations: this.#declarations,
      assigns: this.#assigns,
      always: joinedLanes(this.#always),
      initials: this.#initials,
      instances: this.#instances,
      dotted: [...c.dotted],
      at: this.#at,
    };
  }

  /** `input wire [7:0] a, b, output reg c`; old-style lists of names alone are declared in the body. */
  #ports(): void {
    const c = this.#c;
    if (c.takes(")")) return;
    let type: Omit<Declaration, "name" | "at" | "words" | "value"> | undefined;
    do {
      const at = c.place;
      if (c.is("input") || c.is("output")) type = this.#portType();
      const name = c.name(),
        value = c.takes("=") ? expression(c) : undefined;
      if (type !== undefined) this.#declarations.push({ ...type, name, words: undefined, value, at });
    } while (c.takes(","));
    c.need(")");
  }
  #portType(): Omit<Declaration, "name" | "at" | "words" | "value"> {
    const c = this.#c,
      port = c.take().text === "input" ? "input" : "output",
      what = c.takes("reg") ? "reg" : "wire";
    if (what === "wire") c.takes("wire");
    return { port, what, signed: c.takes("signed"), range: this.#range() };
  }

  #range(): Range {
    const c = this.#c;
    if (!c.takes("[")) return undefined;
    const high = expression(c);
    c.need(":");
    const low = expression(c);
    c.need("]");
    return { high, low };
  }

  #parameter(local: boolean): void {
    const c = this.#c,
      at = c.place,
      signed = c.takes("signed") || c.takes("integer"),
      range = this.#range(),
      name = c.name();
    c.need("=");
    this.#parameters.push({ name, range, signed, value: expression(c), local, at });
  }

  #item(): void {
    const c = this.#c,
      at = c.place;
    if (c.takes(";")) return;
    if (c.is("localparam") || c.is("parameter")) {
      const local = c.take().text === "localparam";
      do this.#parameter(local);
      while (c.takes(","));
      c.need(";");
    } else if (c.is("wire") || c.is("reg") || c.is("integer") || c.is("input") || c.is("output")) this.#declare();
    else if (c.takes("assign")) {
      do {
        const target = lvalue(c);
        c.need("=");
        this.#assigns.push({ target, value: expression(c), at });
      } while (c.takes(","));
      c.need(";");
    } else if (c.takes("always")) this.#always.push({ events: this.#events(), body: statement(c), at });
    else if (c.takes("initial")) this.#initials.push(statement(c));
    else this.#instance(at);
  }

  #declare(): void {
    const c = this.#c;
    let type: Omit<Declaration, "name" | "at" | "words" | "value">;
    if (c.is("input") || c.is("output")) type = this.#portType();
    else {
      const what = c.take().text as "wire" | "reg" | "integer";
      type = { port: undefined, what, signed: c.takes("signed") || what === "integer", range: this.#range() };
    }
    do {
      const at = c.place,
        name = c.name(),
        words = this.#range(),
        value = c.takes("=") ? expression(c) : undefined;
      this.#add({ ...type, name, words, value, at });
    } while (c.takes(","));
    c.need(";");
  }

  /** A port whose net or register is declared once more is one. */
  #add(d: Declaration): void {
    const known = this.#declarations.findIndex(x => x.name === d.name),
      port = this.#declarations[known];
    if (port === undefined) this.#declarations.push(d);
    else this.#declarations[known] = { ...d, port: port.port ?? d.port, signed: port.signed || d.signed };
  }

  #events(): Event[] {
    const c = this.#c,
      events: Event[] = [];
    c.need("@");
    if (c.takes("*")) return events;
    c.need("(");
    if (c.takes("*")) {
      c.need(")");
      return events;
    }
    do {
      if (!c.is("posedge") && !c.is("negedge")) throw c.surprise('"posedge" or "negedge"');
      const edge = c.take().text as Event["edge"];
      events.push({ edge, name: c.name() });
    } while (c.takes("or") || c.takes(","));
    c.need(")");
    return events;
  }

  #instance(at: Place): void {
    const c = this.#c,
      module = c.name();
    const named = (): readonly [string, Expression | undefined] => {
      c.need(".");
      const name = c.name();
      c.need("(");
      if (c.takes(")")) return [name, undefined];
      const e = expression(c);
      c.need(")");
      return [name, e];
    };
    let parameters: (readonly [string, Expression])[] = [];
    if (c.takes("#")) {
      c.need("(");
      parameters = c.list(")", named).flatMap(([n, e]) => (e === undefined ? [] : [[n, e] as const]));
    }
    const name = c.name();
    c.need("(");
    this.#instances.push({ module, name, parameters, pins: c.list(")", named), at });
    c.need(";");
  }
}
