/** Names in the emitted text: legal, unique in their module, and the same in every run. */

/** Reserved words of Verilog-2005 and SystemVerilog-2017: tools read our files as either. */
const RESERVED = new Set(
  `accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins binsof bit
  break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const constraint context continue cover covergroup
  coverpoint cross deassign default defparam design disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction
  endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram endproperty endspecify endsequence endtable endtask enum event
  eventually expect export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0 highz1
  if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside instance int integer interconnect
  interface intersect join join_any join_none large let liblist library local localparam logic longint macromodule matches medium modport module
  nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive
  priority program property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos
  real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime s_until
  s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify specparam static string strong strong0 strong1
  struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1
  tri tri0 tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
  wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor`.split(/\s+/),
);

/** Whether a tool would read the name as a keyword. */
export function isReserved(name: string): boolean {
  return RESERVED.has(name);
}

/** The names of one module: hands out each once. */
export class NameTable {
  readonly #taken = new Set<string>();

  /** The name itself, with `_` behind it as long as it is a keyword or taken. */
  claim(wanted: string): string {
    let name = legal(wanted);
    while (!this.#take(name)) name += "_";
    return name;
  }

  /** Takes the name when it is free. */
  #take(name: string): boolean {
    if (RESERVED.has(name)) return false;
    const before = this.#taken.size;
    this.#taken.add(name);
    return this.#taken.size !== before;
  }

  /** Whether something has the name. */
  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** A name for a helper wire: the first free one of the candidates, else the last one with the lowest free number. */
  helper(candidates: readonly string[]): string {
    const last = candidates.at(-1) ?? "helper";
    for (const c of candidates) {
      const name = legal(c);
      if (this.#take(name)) return name;
    }
    const base = legal(last);
    let n = this.#next.get(last) ?? 2;
    while (!this.#take(`${base}_${n}`)) n++;
    this.#next.set(last, n + 1);
    return `${base}_${n}`;
  }

  readonly #next = new Map<string, number>();
}

const LEGAL = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Letters, digits and underscores, not starting with a digit. */
function legal(name: string): string {
  if (LEGAL.test(name)) return name;
  const body = name.replace(/[^A-Za-z0-9_]/g, "_");
  return /^[0-9]/.test(body) ? `_${body}` : body;
}
