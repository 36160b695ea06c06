package pooled

// AutoBytes is the body length from which WritevAuto does not copy.
//
// CPU time of the server with writev relative to copying, 16 connections over
// loopback, one AMD EPYC core, Linux 6.18, medians of 5 rounds:
//
//	body      1 request at once   16 pipelined
//	 2 KiB    1.06                3.3
//	 4 KiB    0.88                2.9
//	 8 KiB    0.96                1.6
//	16 KiB    0.99                0.89
//	64 KiB    0.82
//	 1 MiB    0.70
//
// A body that is not copied ends a batch of pipelined responses; from 16 KiB
// that is written at once anyway (flushBytes), and nothing speaks for copying.
const AutoBytes = 16 << 10
