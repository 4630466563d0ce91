// Skid buffer of 32 bits: from_ready comes from a register, no latency.
module SkidBuffer (
  input  wire        clk,
  input  wire        rst,
  input  wire        from_valid,
  output wire        from_ready,
  input  wire [31:0] from_payload,
  output wire        to_valid,
  input  wire        to_ready,
  output wire [31:0] to_payload
);
  reg full;
  reg [31:0] held;

  always @(posedge clk)
    if (rst) full <= 1'b0;
    else if (to_ready) full <= 1'b0;
    else if (from_valid) full <= 1'b1;

  always @(posedge clk)
    if (~full) held <= from_payload;

  assign from_ready = ~full;
  assign to_valid = from_valid | full;
  assign to_payload = full ? held : from_payload;
endmodule
