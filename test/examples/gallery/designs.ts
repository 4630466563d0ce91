/** The gallery's designs, as its page lists them: each with the parameters that its figures are of. */
export interface Entry {
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly module: string;
  readonly set: readonly string[];
  readonly teaches: string;
}

const mode = [
  'across={"visible":640,"front":16,"pulse":96,"back":48,"positive":false}',
  'down={"visible":480,"front":10,"pulse":2,"back":33,"positive":false}',
];
const times = 'times={"powerUp":10000,"rcd":2,"rp":2,"ras":5,"rfc":7,"mrd":2,"wr":2,"cas":2,"refresh":1562}';

export const gallery: readonly Entry[] = [
  {
    ...{ name: "uart-echo", title: "UART echo", file: "uart-echo.ts", module: "UartEcho" },
    set: ["divisor=104", "depth=16"],
    teaches: "pins from outside, timers, two speeds, a board",
  },
  {
    ...{ name: "packet-filter", title: "packet filter", file: "packet-filter.ts", module: "PacketFilter" },
    set: ["rules=8", "depth=32", "otherwise=pass"],
    teaches: "frames on AXI-Stream, fields by place, queues that belong together",
  },
  {
    ...{ name: "rv32i", title: "RV32I core", file: "rv32i.ts", module: "Rv32i" },
    set: ["start=0"],
    teaches: "a state machine with a datapath, decoding, a scoreboard for each instruction",
  },
  {
    ...{ name: "dma", title: "DMA engine", file: "dma.ts", module: "Dma" },
    set: ["addressBits=32", "beatBytes=8", "lengthBits=16", "longest=16", "depth=64"],
    teaches: "AXI4 as a master: bursts, alignment, what is outstanding",
  },
  {
    ...{ name: "systolic", title: "systolic matrix multiply", file: "systolic.ts", module: "Systolic" },
    set: ["size=4", "width=8", "sumWidth=32"],
    teaches: "hardware made by loops, signed numbers, one stall for all",
  },
  {
    ...{ name: "cache", title: "set-associative cache", file: "cache.ts", module: "Cache" },
    set: ["addressBits=32", "wordBytes=8", "lineWords=4", "sets=64", "ways=4"],
    teaches: "block RAM, errors of a bus that lose nothing",
  },
  {
    ...{ name: "sdram", title: "SDRAM controller", file: "sdram.ts", module: "Sdram" },
    set: ["rowBits=12", "columnBits=8", times],
    teaches: "times as parameters, a bidirectional port, a model that refuses",
  },
  {
    ...{ name: "vga", title: "VGA pattern", file: "vga.ts", module: "Vga" },
    set: mode,
    teaches: "signals kept together, a picture rendered by a test",
  },
  {
    ...{ name: "kv-server", title: "key-value server", file: "kv-server.ts", module: "KvServer" },
    set: ["mac=2199023255594", "ip=167772202", "port=7777", "buckets=1024", "ways=4"],
    teaches: "frames as wide values, checksums, a hash table, an answer made of its question",
  },
  {
    ...{ name: "aes128", title: "AES-128 (figures: one of its ten rounds)", file: "aes-round.ts", module: "AesRound" },
    set: ["last=false"],
    teaches: "pipelines, tables computed at elaboration, a module used ten times",
  },
];
