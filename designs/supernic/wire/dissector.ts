import { type Layout, layoutFunction, luaString, protoFields } from "../../shared/wire/index.ts";
import { ctrlHeader, ctrlPort, ctrlTailBytes } from "./ctrl.ts";
import { ctrlBodies, type CtrlBody } from "./ctrl-bodies.ts";
import { snicEtherType } from "./ether-types.ts";
import { linkShim, snicShim } from "./shims.ts";

/** A protocol of one header. */
interface Protocol {
  readonly name: string;
  readonly title: string;
  /** Of the packet list. */
  readonly column: string;
  readonly layout: Layout;
  /** Table and number by which Wireshark finds it. */
  readonly found: readonly [table: string, number: number];
  /** Layouts that may follow the header. */
  readonly bodies?: readonly Layout[];
  /** Lua lines for fields that the layouts lack. */
  readonly fields?: string;
  /** Lua functions that `rest` uses. */
  readonly functions?: string;
  /** Lua lines for what follows the header, which ends at `offset`. */
  readonly rest: string;
}

/** Each in a block of its own: a Lua function has at most 200 local names. */
function protocolLua({
  name,
  title,
  column,
  layout: l,
  found,
  bodies = [],
  fields,
  functions,
  rest,
}: Protocol): string {
  const layouts = [l, ...bodies],
    given = (lua: string | undefined): string[] => (lua === undefined ? [] : [lua]);
  return `do
local proto = Proto(${luaString(name)}, ${luaString(title)})
local f = proto.fields
${[...layouts.flatMap(b => protoFields("supernic", b)), ...given(fields)].join("\n")}
local f_short = ProtoExpert.new(${luaString(`${name}.short`)}, "cut short", expert.group.MALFORMED, expert.severity.ERROR)
local f_size = ProtoExpert.new(${luaString(`${name}.wrong`)}, "wrong size", expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { f_short, f_size }

${[...layouts.map(layoutFunction), ...given(functions)].join("\n\n")}

function proto.dissector(buffer, pinfo, root)
  pinfo.cols.protocol = ${luaString(column)}
  local tree = root:add(proto, buffer())
  local offset = add_${l.name}(buffer, 0, buffer:len(), tree)
  if offset == nil then return end
${rest}
end

DissectorTable.get(${luaString(found[0])}):add(${found[1]}, proto)
end
`;
}

/** Behind a header that ends in `next`: what follows is told to who knows that EtherType; behind 0 is padding. */
const nextByEtherType = `  tree:set_len(offset)
  local following = buffer(offset - 2, 2):uint()
  if following == 0 or offset == buffer:len() then return end
  DissectorTable.get("ethertype"):try(following, buffer(offset):tvb(), pinfo, root)`;

/** What follows a body's head, in Lua: `offset` moves on. */
function afterHead({ rows, entries }: CtrlBody): readonly string[] {
  if (rows !== undefined)
    return [
      `    local rows = { ${Object.entries(rows)
        .map(([code, l]) => `[${code}] = add_${l.name}`)
        .join(", ")} }`,
      "    local row = rows[buffer(head, 1):uint()]",
      "    if offset ~= nil and row ~= nil then offset = row(buffer, offset, stop, tree) end",
    ];
  if (entries === undefined) return [];
  return [`    while offset ~= nil and offset < stop do offset = add_${entries.name}(buffer, offset, stop, tree) end`];
}
const bodyLua = (b: CtrlBody): string =>
  [
    `  if code == ${b.opcode} and ${b.reply ? "" : "not "}is_reply then`,
    `    offset = add_${b.head.name}(buffer, head, stop, tree)`,
    ...afterHead(b),
    "  end",
  ].join("\n");
/** Adds what is known of a body, and returns the offset behind it; nil when it is cut short. */
const bodyFunction = `local function add_body(buffer, head, stop, tree)
  local code = buffer(${ctrlHeader.at.opcode.byteOffset}, 1):uint()
  local is_reply = bit.band(buffer(${ctrlHeader.at.reply.byteOffset}, 1):uint(), ${1 << ctrlHeader.at.reply.bitOffset}) ~= 0
  local offset = head
${ctrlBodies.map(bodyLua).join("\n")}
  return offset
end`;
/** Each once, though it may be the body of several messages. */
const bodyLayouts = [
  ...new Set(
    ctrlBodies.flatMap(b => [b.head, ...Object.values(b.rows ?? {}), ...(b.entries === undefined ? [] : [b.entries])]),
  ),
];

const bodyAndTail = `  local size = buffer(${ctrlHeader.at.size.byteOffset}, ${ctrlHeader.at.size.byteLength}):le_uint()
  if size < ${ctrlHeader.bytes} or size + ${ctrlTailBytes} ~= buffer:len() then
    tree:add_proto_expert_info(f_size, "size is " .. size .. " of a message of " .. buffer:len() .. " bytes")
    return
  end
  if size > offset then offset = add_body(buffer, offset, size, tree) end
  if offset ~= nil and size > offset then tree:add(f.body, buffer(offset, size - offset)) end
  tree:add(f.tail, buffer(size, ${ctrlTailBytes}))`;

const protocols: readonly Protocol[] = [
  {
    name: "supernic_link",
    title: "SuperNIC link shim",
    column: "SNIC-LINK",
    layout: linkShim,
    found: ["ethertype", snicEtherType.linkShim],
    rest: nextByEtherType,
  },
  {
    name: "supernic",
    title: "SuperNIC shim",
    column: "SNIC",
    layout: snicShim,
    found: ["ethertype", snicEtherType.snicShim],
    rest: nextByEtherType,
  },
  {
    name: "supernic_ctrl",
    title: "SuperNIC CTRL",
    column: "SNIC-CTRL",
    layout: ctrlHeader,
    found: ["udp.port", ctrlPort],
    bodies: bodyLayouts,
    functions: bodyFunction,
    fields: `f.body = ProtoField.bytes("supernic.ctrl.body", "body")
f.tail = ProtoField.bytes("supernic.ctrl.tail", "tail", base.NONE, "HMAC-SHA-256, first ${ctrlTailBytes} bytes")`,
    rest: bodyAndTail,
  },
];

/**
 * The Wireshark dissector in Lua (`tshark -X lua_script:supernic.lua`): link shim, sNIC shim with a frame inside, CTRL
 * with its bodies. Wireshark knows 802.1Q and PFC by itself. Made from the same layouts as the codec.
 */
export function dissectorLua(): string {
  return `-- Wireshark dissector of SuperNIC's formats. Generated by mnemosyne from designs/supernic/wire; do not edit.
-- Use: tshark -X lua_script:supernic.lua -r frames.pcap -V

${protocols.map(protocolLua).join("\n")}`;
}
