// AXI-Stream width adapter, 8 bytes to 64: a wide beat goes out when its last lane, or the frame's last beat, has come.
module WidthAdapter_8_64 (
  input  wire         clk,
  input  wire         rst,
  input  wire         from_valid,
  output wire         from_ready,
  input  wire [63:0]  from_payload_data,
  input  wire [7:0]   from_payload_keep,
  input  wire         from_payload_last,
  output wire         to_valid,
  input  wire         to_ready,
  output wire [511:0] to_payload_data,
  output wire [63:0]  to_payload_keep,
  output wire         to_payload_last
);
  reg [2:0] lane;
  reg full;
  reg [511:0] data;
  reg [63:0] keep;
  reg last;
  integer i;

  wire take = from_valid & from_ready;
  wire ends = from_payload_last | (lane == 3'd7);

  assign from_ready = ~full | to_ready;
  assign to_valid = full;
  assign to_payload_data = data;
  assign to_payload_keep = keep;
  assign to_payload_last = last;

  always @(posedge clk)
    if (rst) begin
      lane <= 3'd0;
      full <= 1'b0;
    end
    else begin
      if (to_ready) full <= 1'b0;
      if (take) begin
        lane <= ends ? 3'd0 : lane + 3'd1;
        if (ends) full <= 1'b1;
      end
    end

  always @(posedge clk)
    if (take) begin
      for (i = 0; i < 8; i = i + 1)
        if (lane == i[2:0]) data[64 * i +: 64] <= from_payload_data;
      if (lane == 3'd0) keep <= {56'd0, from_payload_keep};
      else keep[{lane, 3'd0} +: 8] <= from_payload_keep;
      last <= from_payload_last;
    end
endmodule
