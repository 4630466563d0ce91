// Reed-Solomon syndromes, 8 bits, polynomial 0x11d, 4 check symbols, roots 1, 2, 4, 8: Horner's rule, a symbol a clock.
module ReedSolomonSyndromes (
  input  wire       clk,
  input  wire       rst,
  input  wire       from_valid,
  output wire       from_ready,
  input  wire [7:0] from_payload_symbol,
  input  wire       from_payload_last,
  output wire       to_valid,
  input  wire       to_ready,
  output wire       to_payload_clean,
  output wire [7:0] to_payload_syndromes_0,
  output wire [7:0] to_payload_syndromes_1,
  output wire [7:0] to_payload_syndromes_2,
  output wire [7:0] to_payload_syndromes_3
);
  function [7:0] xtime;
    input [7:0] v;
    xtime = {v[6:0], 1'b0} ^ (v[7] ? 8'h1d : 8'h00);
  endfunction

  reg full;
  reg [7:0] acc_0;
  reg [7:0] acc_1;
  reg [7:0] acc_2;
  reg [7:0] acc_3;
  reg [7:0] syn_0;
  reg [7:0] syn_1;
  reg [7:0] syn_2;
  reg [7:0] syn_3;

  wire room = !full || to_ready;
  wire fire = from_valid && from_ready;
  wire word_end = fire && from_payload_last;
  wire [7:0] next_0 = acc_0 ^ from_payload_symbol;
  wire [7:0] next_1 = xtime(acc_1) ^ from_payload_symbol;
  wire [7:0] next_2 = xtime(xtime(acc_2)) ^ from_payload_symbol;
  wire [7:0] next_3 = xtime(xtime(xtime(acc_3))) ^ from_payload_symbol;

  assign from_ready = room || !from_payload_last;
  assign to_valid = full;
  assign to_payload_syndromes_0 = syn_0;
  assign to_payload_syndromes_1 = syn_1;
  assign to_payload_syndromes_2 = syn_2;
  assign to_payload_syndromes_3 = syn_3;
  assign to_payload_clean = syn_0 == 8'd0 && syn_1 == 8'd0 && syn_2 == 8'd0 && syn_3 == 8'd0;

  always @(posedge clk)
    if (rst)
      full <= 1'b0;
    else if (room)
      full <= word_end;

  always @(posedge clk)
    if (rst) begin
      acc_0 <= 8'd0;
      acc_1 <= 8'd0;
      acc_2 <= 8'd0;
      acc_3 <= 8'd0;
    end
    else if (word_end) begin
      acc_0 <= 8'd0;
      acc_1 <= 8'd0;
      acc_2 <= 8'd0;
      acc_3 <= 8'd0;
    end
    else if (fire) begin
      acc_0 <= next_0;
      acc_1 <= next_1;
      acc_2 <= next_2;
      acc_3 <= next_3;
    end

  always @(posedge clk)
    if (word_end) begin
      syn_0 <= next_0;
      syn_1 <= next_1;
      syn_2 <= next_2;
      syn_3 <= next_3;
    end
endmodule
