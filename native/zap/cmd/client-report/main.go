// Command client-report loads a server by a client that others wrote, hey or
// bombardier, and prints what the client reports as zap-load would: one line of
// JSON. The client's program lies beside this one. It exits with 0 also when
// requests failed, 1 when the client did not report, 2 on bad arguments.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// client is a program of others: how it is started, and how its output reads.
type client struct {
	arguments func(url string, connections int, length time.Duration) []string
	read      func(output []byte) (report, error)
}

var clients = map[string]client{
	"hey":        {heyArguments, readHey},
	"bombardier": {bombardierArguments, readBombardier},
}

// report is LoaderReport of pipeline/hosts/trial.ts, as far as these clients
// know it. Times are in nanoseconds.
type report struct {
	Completed   int64   `json:"completed"`
	Failed      int64   `json:"failed"`
	WindowNS    int64   `json:"window_ns"`
	LoaderCPUNS int64   `json:"loader_cpu_ns"`
	ServerCPUNS int64   `json:"server_cpu_ns"` // 0: the server reads its own clock
	Segments    int64   `json:"segments"`      // -1: not read
	SilentOpen  int     `json:"silent_open"`
	LatencyNS   latency `json:"latency_ns"`
	Protocol    string  `json:"protocol"`
	Connections int     `json:"connections"`
	Depth       int     `json:"depth"`
}

// latency has no 99.9th percentile: neither client gives it.
type latency struct {
	Min int64 `json:"min"`
	P50 int64 `json:"p50"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}

// warmup is how long the client runs before the run that is reported.
const warmup = time.Second

func main() {
	flags := flag.NewFlagSet("client-report", flag.ContinueOnError)
	name := flags.String("client", "", "hey or bombardier")
	port := flags.Int("port", 0, "the server's port on 127.0.0.1")
	target := flags.String("target", "/health", "path and query of the request")
	connections := flags.Int("connections", 64, "connections, kept open")
	seconds := flags.Float64("seconds", 2, "length of the window")
	pid := flags.Int("server-pid", 0, "process that gets SIGUSR1 at both edges of the window")
	if flags.Parse(os.Args[1:]) != nil {
		os.Exit(2)
	}
	c, known := clients[*name]
	switch {
	case !known:
		refuse("--client is %q, it must be hey or bombardier", *name)
	case flags.NArg() > 0:
		refuse("there is nothing but options, and %q is none", flags.Arg(0))
	case *port < 1 || *port > 65535:
		refuse("--port is %d, it must be from 1 to 65535", *port)
	case *connections < 1:
		refuse("--connections is %d, it must be at least 1", *connections)
	case !(*seconds > 0 && *seconds <= 3600):
		refuse("--seconds is %v, it must be from 0 to 3600", *seconds)
	}
	url := "http://127.0.0.1:" + strconv.Itoa(*port) + *target
	r, err := measure(*name, c, url, *connections, time.Duration(*seconds*float64(time.Second)), *pid)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "client-report:", err)
		os.Exit(1)
	}
}

func refuse(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "client-report: "+format+"\n", values...)
	os.Exit(2)
}

// measure runs the client twice, to warm up and to be reported, and tells the
// server where the second begins and ends.
func measure(name string, c client, url string, connections int, length time.Duration, pid int) (report, error) {
	own, err := os.Executable()
	if err != nil {
		return report{}, err
	}
	path := filepath.Join(filepath.Dir(own), name)
	run := func(length time.Duration) ([]byte, time.Duration, error) {
		command := exec.Command(path, c.arguments(url, connections, length)...)
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		output, err := command.Output()
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", name, err)
		}
		return output, command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
	}
	if _, _, err := run(warmup); err != nil {
		return report{}, err
	}
	if err := tell(pid); err != nil {
		return report{}, err
	}
	output, cpu, err := run(length)
	if err != nil {
		return report{}, err
	}
	if err := tell(pid); err != nil {
		return report{}, err
	}
	r, err := c.read(output)
	if err != nil {
		return report{}, fmt.Errorf("%s: %w", name, err)
	}
	r.LoaderCPUNS, r.Segments, r.Protocol, r.Connections, r.Depth = int64(cpu), -1, "http", connections, 1
	return r, nil
}

func tell(pid int) error {
	if pid == 0 {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		return fmt.Errorf("the server's process %d cannot be told: %w", pid, err)
	}
	// It reads its counts before anything else happens to it.
	time.Sleep(10 * time.Millisecond)
	return nil
}
