package load

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// counters are what the kernel counts about the server and the network, read
// just outside the window; -1 is what could not be read.
type counters struct {
	serverCPU, segments, ownCPU int64
}

// processTime is the time on a processor of all tasks of a process by
// schedstat, in nanoseconds.
func processTime(pid int) int64 {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil || pid == 0 {
		return -1
	}
	sum, any := int64(0), false
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, task.Name()))
		if err != nil {
			continue
		}
		onCPU, _, _ := bytes.Cut(text, []byte(" "))
		if n, err := strconv.ParseInt(string(onCPU), 10, 64); err == nil {
			sum += n
			any = true
		}
	}
	if !any {
		return -1
	}
	return sum
}

// segmentsOut is TcpOutSegs of this network namespace.
func segmentsOut() int64 {
	text, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		return -1
	}
	return tcpColumn(string(text), "OutSegs")
}

// tcpColumn gives the value under the column named, in the pair of lines that
// begins with Tcp:.
func tcpColumn(text, name string) int64 {
	_, rest, found := strings.Cut("\n"+text, "\nTcp:")
	head, rest, second := strings.Cut(rest, "\nTcp:")
	if !found || !second {
		return -1
	}
	line, _, _ := strings.Cut(rest, "\n")
	values := strings.Fields(line)
	for i, column := range strings.Fields(head) {
		if column == name && i < len(values) {
			if n, err := strconv.ParseInt(values[i], 10, 64); err == nil {
				return n
			}
		}
	}
	return -1
}

// ownTime is the time on a processor of this process, in nanoseconds.
func ownTime() int64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t) != nil {
		return -1
	}
	return t.Nano()
}
