// FIR filter, transposed form: taps 3 -7 0 20 20 -1 7, samples of 8 bits, results of 14. Three stages.
module Fir (
  input  wire               clk,
  input  wire               rst,
  input  wire               from_valid,
  output wire               from_ready,
  input  wire signed [7:0]  from_payload,
  output wire               to_valid,
  input  wire               to_ready,
  output wire signed [13:0] to_payload
);
  reg valid_1;
  reg valid_2;
  reg valid_3;
  wire move = !valid_3 || to_ready;
  reg signed [7:0] x;
  reg signed [13:0] x_3;
  reg signed [13:0] x_7;
  reg signed [13:0] x_20;
  reg signed [13:0] x_1;
  reg signed [13:0] s_0;
  reg signed [13:0] s_1;
  reg signed [13:0] s_2;
  reg signed [13:0] s_3;
  reg signed [13:0] s_4;
  reg signed [13:0] s_5;
  reg signed [13:0] s_6;

  assign from_ready = move;
  assign to_valid = valid_3;
  assign to_payload = s_0;

  always @(posedge clk)
    if (rst) begin
      valid_1 <= 1'b0;
      valid_2 <= 1'b0;
      valid_3 <= 1'b0;
    end
    else if (move) begin
      valid_1 <= from_valid;
      valid_2 <= valid_1;
      valid_3 <= valid_2;
    end

  always @(posedge clk)
    if (move) begin
      x <= from_payload;
      x_1 <= x;
      x_3 <= x * 3;
      x_7 <= x * 7;
      x_20 <= x * 20;
    end

  always @(posedge clk)
    if (rst) begin
      s_0 <= 14'sd0;
      s_1 <= 14'sd0;
      s_2 <= 14'sd0;
      s_3 <= 14'sd0;
      s_4 <= 14'sd0;
      s_5 <= 14'sd0;
      s_6 <= 14'sd0;
    end
    else if (move && valid_2) begin
      s_6 <= x_7;
      s_5 <= s_6 - x_1;
      s_4 <= s_5 + x_20;
      s_3 <= s_4 + x_20;
      s_2 <= s_3;
      s_1 <= s_2 - x_7;
      s_0 <= s_1 + x_3;
    end
endmodule
