// Control: one goroutine for each connection, as one writes it with package net, on a listener with SO_REUSEPORT.
//
// It sets no deadlines: an idle client costs a parked goroutine and is closed by nobody. It speaks plain TCP like its peers; Go's own default since 1.24,
// a listener that also takes multipath TCP, is had with --multipath.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// How long SIGTERM waits for what is open.
const drainTime = time.Second

func main() {
	port := flag.Int("port", -1, "port to listen on, 0 for any free one")
	address := flag.String("address", "127.0.0.1", "IPv4 or IPv6 address to listen on")
	processors := flag.Int("procs", 0, "GOMAXPROCS, 0 for Go's own choice")
	multipath := flag.Bool("multipath", false, "take multipath TCP too, as Go's listeners do by default")
	flag.Parse()
	if *port < 0 || *port > 65535 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "accept-go: --port must be a number from 0 to 65535, and there is nothing but options")
		os.Exit(2)
	}
	if *processors > 0 {
		runtime.GOMAXPROCS(*processors)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)

	server, err := listen(*address, *port, *multipath)
	if err != nil {
		fmt.Fprintln(os.Stderr, "accept-go:", err)
		os.Exit(1)
	}
	go server.serve()
	fmt.Fprintln(os.Stderr, "listening", server.port())
	<-stop
	server.drain(drainTime)
	if err := json.NewEncoder(os.Stdout).Encode(server.report()); err != nil {
		os.Exit(1)
	}
}
