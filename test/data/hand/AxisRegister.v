// AXI-Stream register slice of 8 bytes: every path is cut, ready's too.
module AxisRegister (
  input  wire        clk,
  input  wire        rst,
  input  wire        from_valid,
  output wire        from_ready,
  input  wire [63:0] from_payload_data,
  input  wire [7:0]  from_payload_keep,
  input  wire        from_payload_last,
  output wire        to_valid,
  input  wire        to_ready,
  output wire [63:0] to_payload_data,
  output wire [7:0]  to_payload_keep,
  output wire        to_payload_last
);
  reg out_valid;
  reg [63:0] out_data;
  reg [7:0] out_keep;
  reg out_last;
  reg skid_valid;
  reg [63:0] skid_data;
  reg [7:0] skid_keep;
  reg skid_last;

  wire out_enable = to_ready | ~out_valid;

  always @(posedge clk)
    if (rst) begin
      out_valid <= 1'b0;
      skid_valid <= 1'b0;
    end
    else if (out_enable) begin
      out_valid <= from_valid | skid_valid;
      skid_valid <= 1'b0;
    end
    else if (from_valid) skid_valid <= 1'b1;

  always @(posedge clk)
    if (~skid_valid) begin
      skid_data <= from_payload_data;
      skid_keep <= from_payload_keep;
      skid_last <= from_payload_last;
    end

  always @(posedge clk)
    if (out_enable) begin
      out_data <= skid_valid ? skid_data : from_payload_data;
      out_keep <= skid_valid ? skid_keep : from_payload_keep;
      out_last <= skid_valid ? skid_last : from_payload_last;
    end

  assign from_ready = ~skid_valid;
  assign to_valid = out_valid;
  assign to_payload_data = out_data;
  assign to_payload_keep = out_keep;
  assign to_payload_last = out_last;
endmodule
