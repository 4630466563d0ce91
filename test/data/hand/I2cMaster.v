// I2C master, multi-master: a byte with its acknowledge a command, start and stop conditions by flags; a quarter of the
// clock period is divisor + 1 clocks.
module I2cMaster (
  input  wire        clk,
  input  wire        rst,
  input  wire        scl_in,
  input  wire        sda_in,
  output reg         scl_low,
  output reg         sda_low,
  input  wire [15:0] divisor,
  input  wire        command_valid,
  output wire        command_ready,
  input  wire        command_payload_start,
  input  wire        command_payload_stop,
  input  wire        command_payload_read,
  input  wire        command_payload_nack,
  input  wire [7:0]  command_payload_data,
  output wire        reply_valid,
  input  wire        reply_ready,
  output wire [7:0]  reply_payload_data,
  output wire        reply_payload_nack,
  output wire        reply_payload_lost,
  output wire        busy
);
  // Both lines: two synchronising flip-flops, majority of three.
  (* async_reg = "true" *) reg scl_meta;
  (* async_reg = "true" *) reg scl_sync;
  (* async_reg = "true" *) reg sda_meta;
  (* async_reg = "true" *) reg sda_sync;
  reg scl_d1;
  reg scl_d2;
  reg sda_d1;
  reg sda_d2;
  reg scl_prev;
  reg sda_prev;
  wire scl = (scl_sync & scl_d1) | (scl_sync & scl_d2) | (scl_d1 & scl_d2);
  wire sda = (sda_sync & sda_d1) | (sda_sync & sda_d2) | (sda_d1 & sda_d2);

  always @(posedge clk)
    if (rst) begin
      scl_meta <= 1'b1;
      scl_sync <= 1'b1;
      scl_d1 <= 1'b1;
      scl_d2 <= 1'b1;
      scl_prev <= 1'b1;
      sda_meta <= 1'b1;
      sda_sync <= 1'b1;
      sda_d1 <= 1'b1;
      sda_d2 <= 1'b1;
      sda_prev <= 1'b1;
    end
    else begin
      scl_meta <= scl_in;
      scl_sync <= scl_meta;
      scl_d1 <= scl_sync;
      scl_d2 <= scl_d1;
      scl_prev <= scl;
      sda_meta <= sda_in;
      sda_sync <= sda_meta;
      sda_d1 <= sda_sync;
      sda_d2 <= sda_d1;
      sda_prev <= sda;
    end

  reg bus_busy;
  always @(posedge clk)
    if (rst)
      bus_busy <= 1'b0;
    else if (scl && scl_prev && sda_prev && !sda)
      bus_busy <= 1'b1;
    else if (scl && scl_prev && !sda_prev && sda)
      bus_busy <= 1'b0;

  localparam [2:0] IDLE = 3'd0, WAIT = 3'd1, LOW = 3'd2, CHANGE = 3'd3, RISE = 3'd4, HIGH = 3'd5, KEEP = 3'd6;
  localparam [1:0] BIT = 2'd0, START = 2'd1, STOP = 2'd2;
  reg [2:0] state;
  reg [1:0] cell_kind;
  reg [15:0] count;
  reg [1:0] quarters;
  reg [8:0] shift;
  reg [3:0] bits_left;
  reg do_stop;
  reg do_read;
  reg sampled;
  reg done;
  reg lost;

  wire accept = command_valid && command_ready;
  wire quarter = count == 16'd0;
  wire over = quarter && quarters == 2'd0;
  wire is_ack = bits_left == 4'd0;
  wire condition = cell_kind != BIT;
  wire driven = condition || is_ack == do_read;
  wire beaten = driven && !sda_low && !sampled;
  wire idle_low = bus_busy || !scl || !sda;

  // The ways out of a cell.
  wire high_over = state == HIGH && over && scl;
  wire high_cut = state == HIGH && !scl;
  wire keep_over = state == KEEP && (over || !scl);
  wire lose = (high_over && beaten) || (high_cut && (condition || beaten)) || (keep_over && beaten);
  wire cell_end = ((high_cut && !condition) || keep_over) && !beaten;
  wire stop_end = cell_end && cell_kind == STOP;
  wire byte_end = cell_end && cell_kind == BIT && is_ack;
  wire then_stop = do_stop || (sampled && !do_read);
  wire foreign = state == IDLE && accept && !command_payload_start;

  assign command_ready = !done && (state == WAIT || (state == IDLE && (over || !command_payload_start)));
  assign reply_valid = done;
  assign reply_payload_data = shift[8:1];
  assign reply_payload_nack = shift[0];
  assign reply_payload_lost = lost;
  assign busy = bus_busy;

  always @(posedge clk)
    if (rst)
      state <= IDLE;
    else if (lose || stop_end)
      state <= IDLE;
    else if (byte_end && !then_stop)
      state <= WAIT;
    else if (cell_end)
      state <= LOW;
    else
      case (state)
        IDLE: if (accept && command_payload_start) state <= KEEP;
        WAIT: if (accept) state <= LOW;
        LOW: if (quarter) state <= CHANGE;
        CHANGE: if (quarter) state <= RISE;
        RISE: if (scl) state <= HIGH;
        HIGH: if (over) state <= KEEP;
        default: state <= state;
      endcase

  always @(posedge clk)
    if (rst)
      cell_kind <= BIT;
    else if (accept && command_payload_start)
      cell_kind <= START;
    else if (byte_end && then_stop)
      cell_kind <= STOP;
    else if (cell_end && cell_kind == START)
      cell_kind <= BIT;

  always @(posedge clk)
    if (rst) begin
      count <= 16'd0;
      quarters <= 2'd3;
    end
    else if (lose || stop_end) begin
      count <= divisor;
      quarters <= 2'd3;
    end
    else if (cell_end || (accept && state == WAIT) || (state == LOW && quarter)) begin
      count <= divisor;
      quarters <= 2'd0;
    end
    else if (accept && command_payload_start) begin
      count <= divisor;
      quarters <= 2'd1;
    end
    else if (state == RISE || high_over) begin
      count <= divisor;
      quarters <= {1'b0, condition};
    end
    else if (state == IDLE && idle_low) begin
      count <= divisor;
      quarters <= 2'd3;
    end
    else if (state == IDLE && over) begin
      count <= 16'd0;
      quarters <= 2'd0;
    end
    else if (quarter) begin
      count <= divisor;
      quarters <= quarters - 2'd1;
    end
    else
      count <= count - 16'd1;

  always @(posedge clk)
    if (rst)
      scl_low <= 1'b0;
    else if (lose || stop_end)
      scl_low <= 1'b0;
    else if (cell_end || (accept && state == WAIT))
      scl_low <= 1'b1;
    else if (state == CHANGE && quarter)
      scl_low <= 1'b0;

  always @(posedge clk)
    if (rst)
      sda_low <= 1'b0;
    else if (lose || stop_end)
      sda_low <= 1'b0;
    else if (accept && state == IDLE && command_payload_start)
      sda_low <= 1'b1;
    else if (state == LOW && quarter)
      sda_low <= cell_kind == BIT ? !shift[8] : cell_kind == STOP;
    else if (high_over && condition)
      sda_low <= cell_kind == START;

  always @(posedge clk)
    if (accept) begin
      shift <= command_payload_read ? {8'hff, command_payload_nack} : {command_payload_data, 1'b1};
      bits_left <= 4'd8;
      do_stop <= command_payload_stop;
      do_read <= command_payload_read;
    end
    else if (cell_end && cell_kind == BIT) begin
      shift <= {shift[7:0], sampled};
      bits_left <= bits_left - 4'd1;
    end

  always @(posedge clk)
    if (accept && state == IDLE && command_payload_start)
      sampled <= 1'b1;
    else if (state == RISE || state == HIGH || (state == KEEP && cell_kind == STOP))
      sampled <= sda;

  always @(posedge clk)
    if (foreign || lose)
      lost <= 1'b1;
    else if (accept)
      lost <= 1'b0;

  always @(posedge clk)
    if (rst)
      done <= 1'b0;
    else if (foreign || lose || stop_end || (byte_end && !then_stop))
      done <= 1'b1;
    else if (reply_ready)
      done <= 1'b0;
endmodule
