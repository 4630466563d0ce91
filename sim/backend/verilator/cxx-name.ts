/** Words that Verilator renames because C++ claims them. */
const RESERVED = new Set(
  (
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const constexpr " +
    "const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if " +
    "inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected public register " +
    "reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try " +
    "typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq"
  ).split(" "),
);

/**
 * The name that Verilator gives a Verilog port in its C++ class: `__` inside a name is escaped, C++ keywords
 * get a prefix.
 */
export function cxxName(verilog: string): string {
  return RESERVED.has(verilog) ? `__SYM__${verilog}` : verilog.replaceAll("__", "___05F");
}
