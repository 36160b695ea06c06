package load

import (
	"os"
	"os/signal"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// stop is a wish to end early that also wakes those who wait for events.
type stop struct {
	wish atomic.Bool
	wake int
}

func newStop() (*stop, error) {
	wake, err := unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC)
	return &stop{wake: wake}, err
}

func (s *stop) asked() bool { return s.wish.Load() }

func (s *stop) ask() {
	s.wish.Store(true)
	_, _ = unix.Write(s.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// onSignals asks at the first SIGTERM or SIGINT; the second ends the process.
// The returned function ends the watch.
func (s *stop) onSignals() (end func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			signal.Stop(signals)
			s.ask()
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
