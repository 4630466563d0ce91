// Round-robin arbiter of four streams of 32 bits. The grant is held while the consumer stalls; the payload says which stream was served.
module RoundRobinArbiter (
  input  wire        clk,
  input  wire        rst,
  input  wire        from0_valid,
  output wire        from0_ready,
  input  wire [31:0] from0_payload,
  input  wire        from1_valid,
  output wire        from1_ready,
  input  wire [31:0] from1_payload,
  input  wire        from2_valid,
  output wire        from2_ready,
  input  wire [31:0] from2_payload,
  input  wire        from3_valid,
  output wire        from3_ready,
  input  wire [31:0] from3_payload,
  output wire        to_valid,
  input  wire        to_ready,
  output wire [1:0]  to_payload_from,
  output wire [31:0] to_payload_value
);
  reg [3:0] last_grant;
  reg held;

  wire [3:0] request = {from3_valid, from2_valid, from1_valid, from0_valid};
  // Requests above the one that was served last go first.
  wire [3:0] masked = request & ~(last_grant | (last_grant - 4'd1));
  wire [3:0] first_masked = masked & (~masked + 4'd1);
  wire [3:0] first_any = request & (~request + 4'd1);
  wire [3:0] next_grant = (|masked) ? first_masked : first_any;
  wire [3:0] grant = held ? last_grant : next_grant;
  wire any = |(grant & request);

  always @(posedge clk)
    if (rst) begin
      last_grant <= 4'd1;
      held <= 1'b0;
    end
    else if (any) begin
      last_grant <= grant;
      held <= ~to_ready;
    end

  assign to_valid = any;
  assign to_payload_from = {grant[3] | grant[2], grant[3] | grant[1]};
  assign to_payload_value =
    ({32{grant[0]}} & from0_payload) |
    ({32{grant[1]}} & from1_payload) |
    ({32{grant[2]}} & from2_payload) |
    ({32{grant[3]}} & from3_payload);
  assign from0_ready = grant[0] & to_ready;
  assign from1_ready = grant[1] & to_ready;
  assign from2_ready = grant[2] & to_ready;
  assign from3_ready = grant[3] & to_ready;
endmodule
